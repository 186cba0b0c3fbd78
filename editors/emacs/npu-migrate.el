;;; npu-migrate.el --- npu-migrate in Emacs, with Eglot  -*- lexical-binding: t -*-

;;; Commentary:

;; For Emacs 29 or newer, or an older one with Eglot from ELPA. Put this file into a folder of `load-path'
;; and (require 'npu-migrate) into your init file.

;;; Code:

(require 'eglot)

(add-to-list 'eglot-server-programs '(python-mode . ("npu-migrate-lsp")))
(when (fboundp 'python-ts-mode)
  (add-to-list 'eglot-server-programs '(python-ts-mode . ("npu-migrate-lsp"))))

(add-hook 'python-mode-hook #'eglot-ensure)
(add-hook 'python-ts-mode-hook #'eglot-ensure)

;; Settings, for example (:npuMigrate (:unsafeFixes :json-false)).
(setq-default eglot-workspace-configuration '(:npuMigrate nil))

(defun npu-migrate-fix-all ()
  "Apply all safe fixes of npu-migrate in this file."
  (interactive)
  (eglot-code-actions (point-min) (point-max) "source.fixAll.npuMigrate" t))

(provide 'npu-migrate)
;;; npu-migrate.el ends here

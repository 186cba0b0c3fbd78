;;; emacs.el --- what the scenarios of test_emacs.py do in Emacs  -*- lexical-binding: t -*-

(require 'cl-lib)
(require 'flymake)
(require 'npu-migrate)

(defconst editor-patience 120 "Seconds.")

;; Nobody is there who could answer questions or wait for a timer.
(setq eglot-confirm-server-initiated-edits nil
      eglot-sync-connect editor-patience
      eglot-connect-timeout editor-patience
      make-backup-files nil
      create-lockfiles nil
      auto-save-default nil)

(defun editor-wait (what condition)
  "Wait until CONDITION holds; an error that names WHAT if it never does."
  (let ((end (+ (float-time) editor-patience)))
    (while (not (funcall condition))
      (when (> (float-time) end)
        (error "Waited in vain: %s" what))
      (accept-process-output nil 0.02))))

(defun editor-show (path)
  "Show the file at PATH, opening it if it is not open yet."
  (let ((known (find-buffer-visiting path)))
    (switch-to-buffer (or known (find-file-noselect path)))
    (unless (eglot-managed-p)
      (apply #'eglot--connect (eglot--guess-contact)))
    (unless flymake-mode
      (flymake-mode 1))))

(defun editor-code (diagnostic)
  "The code of a DIAGNOSTIC."
  (plist-get (cdr (assoc 'eglot-lsp-diag (eglot--diag-data diagnostic))) :code))

(defun editor-tell ()
  "Let Eglot tell what was typed in any file, which it does when Emacs is idle: it never is here."
  (dolist (buffer (buffer-list))
    (with-current-buffer buffer
      (when (eglot-managed-p)
        (eglot--signal-textDocument/didChange)))))

(defun editor-diagnostics ()
  "The findings of the file that is shown, in order, as soon as Eglot has told what was typed."
  (editor-tell)
  (flymake-start)
  (sort (flymake-diagnostics)
        (lambda (one other) (< (flymake-diagnostic-beg one) (flymake-diagnostic-beg other)))))

(defun editor-findings ()
  "The findings of the file that is shown, as \"line: code\", in order."
  (mapcar (lambda (one)
            (format "%d: %s" (line-number-at-pos (flymake-diagnostic-beg one)) (editor-code one)))
          (editor-diagnostics)))

(defun editor-expect (&rest wanted)
  "Wait until the file that is shown has exactly the findings WANTED."
  (condition-case nil
      (editor-wait "findings" (lambda () (equal (editor-findings) wanted)))
    (error (error "Expected %S, found %S" wanted (editor-findings)))))

(defun editor-finding (code)
  "The first finding with that CODE."
  (seq-find (lambda (one) (equal (editor-code one) code)) (editor-diagnostics)))

(defun editor-marked (code)
  "The text that a finding with that CODE is about."
  (when-let ((one (editor-finding code)))
    (buffer-substring-no-properties (flymake-diagnostic-beg one) (flymake-diagnostic-end one))))

(defun editor-apply (code title)
  "Choose the action with that TITLE from the menu at the first finding with that CODE."
  (goto-char (flymake-diagnostic-beg (editor-finding code)))
  (let ((completing-read-function (lambda (&rest _) title))
        (last-nonmenu-event ?\r)) ; a key, not the mouse
    (call-interactively #'eglot-code-actions)))

(defun editor-save ()
  "Save everything."
  (save-some-buffers t))

/** What the extension uses of Node.js: the machine is the one that the test runs on. */

/** As in node:child_process; `window.runProgram` belongs to the test. */
export function execFile(program, args, _options, done) {
  window.runProgram([program, ...args]).then(({ code, output, errors }) => {
    done(code === 0 ? null : Object.assign(new Error(errors), { code }), output, errors);
  });
}

/** As in node:os. */
export function homedir() {
  return "/home/nobody";
}

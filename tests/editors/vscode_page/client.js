/** VS Code's language client as the extension knows it, with a socket to a server that the test starts. */

import { AbstractMessageReader, AbstractMessageWriter, BaseLanguageClient } from "vscode-languageclient/browser";

export * from "vscode-languageclient/browser";

class Reader extends AbstractMessageReader {
  constructor(socket) {
    super();
    this.socket = socket;
  }

  listen(hear) {
    this.socket.onmessage = ({ data }) => hear(JSON.parse(data));
    this.socket.onclose = () => this.fireClose();
    return { dispose: () => (this.socket.onmessage = null) };
  }
}

class Writer extends AbstractMessageWriter {
  constructor(socket) {
    super();
    this.socket = socket;
  }

  async write(message) {
    this.socket.send(JSON.stringify(message));
  }

  end() {
    this.socket.close();
  }
}

export class LanguageClient extends BaseLanguageClient {
  constructor(id, name, run, options) {
    super(id, name, options);
    this.run = run;
  }

  async createMessageTransports() {
    const words = [this.run.command, ...this.run.args].map((word) => ["word", word]);
    const socket = new WebSocket(`ws://${location.host}/server?${new URLSearchParams(words)}`);
    await new Promise((resolve, reject) => {
      socket.onopen = resolve;
      socket.onerror = () => reject(new Error("the server does not start"));
    });
    return { reader: new Reader(socket), writer: new Writer(socket) };
  }
}

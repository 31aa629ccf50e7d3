/** The network of one kafkajs client, as when its machine goes: at a word nothing of it comes through any more, and nothing ends in order. */
import { connect, type Socket } from "node:net";
import type { ISocketFactory } from "kafkajs";

export class KillSwitch {
  readonly #sockets = new Set<Socket>();
  #isOff = false;

  readonly socketFactory: ISocketFactory = ({ host, port, onConnect }) => {
    const socket = connect({ host, port }, onConnect);
    this.#sockets.add(socket);
    if (this.#isOff) socket.destroy();
    return socket;
  };

  kill(): void {
    this.#isOff = true;
    for (const socket of this.#sockets) socket.destroy();
  }
}

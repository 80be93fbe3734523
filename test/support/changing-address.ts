import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** One address that leads to one server after the other, as a virtual address or a proxy does before a database. */
export class ChangingAddress {
  private readonly open = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private target: number,
  ) {}

  static async to(port: number): Promise<ChangingAddress> {
    const server = createServer();
    const made = new ChangingAddress(server, port);
    server.on('connection', (socket: Socket) => made.join(socket));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return made;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** From now on it leads elsewhere; whoever was connected is cut off. */
  lead(port: number): void {
    this.target = port;
    this.cut();
  }

  async close(): Promise<void> {
    this.cut();
    const closed = once(this.server, 'close');
    this.server.close();
    await closed;
  }

  private cut(): void {
    for (const socket of this.open) socket.destroy();
  }

  private join(near: Socket): void {
    const far = connect(this.target, '127.0.0.1');
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.open.add(one);
      one.pipe(other);
      one.on('error', () => undefined);
      one.on('close', () => {
        this.open.delete(one);
        other.destroy();
      });
    }
  }
}

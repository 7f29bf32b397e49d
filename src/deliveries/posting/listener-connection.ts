import { type buildConnector, Client, type Dispatcher } from 'undici';
import { AnswerReader } from './answer-reader.js';

/** A request that receives the connection that it is sent on. */
export type ListenerDispatch = Dispatcher.DispatchOptions & { connection?: ListenerConnection };

/** One connection of a pool, which knows the address at its other end. */
export class ListenerConnection extends Client {
  private readonly remote: { address: string | undefined; reader: AnswerReader | undefined };

  constructor(origin: URL, options: Client.Options & { readonly connect: buildConnector.connector }) {
    const remote: ListenerConnection['remote'] = { address: undefined, reader: undefined };
    const connect: buildConnector.connector = (to, callback) =>
      options.connect(to, (...result) => {
        const [, socket] = result;
        remote.address = socket?.remoteAddress;
        remote.reader = socket ? new AnswerReader(socket) : undefined;
        callback(...result);
      });
    super(origin, { ...options, connect });
    this.remote = remote;
  }

  /** Undefined before it is connected. */
  get address(): string | undefined {
    return this.remote.address;
  }

  /** Call before a request is written. */
  expectAnswer(): void {
    this.remote.reader?.expect();
  }

  /**
   * True if the server may have closed it, as idle, before the latest request arrived: such a request is not answered.
   */
  get mayBeStale(): boolean {
    return this.remote.reader?.isSilentAgain ?? false;
  }

  // A pool passes on the options unchanged; the handler is wrapped.
  override dispatch(options: ListenerDispatch, handler: Dispatcher.DispatchHandler): boolean {
    options.connection = this;
    return super.dispatch(options, handler);
  }
}

import {
  BACKWARDS,
  convertToCommandError,
  END,
  EventStoreDBClient,
  type NodePreference,
  NotLeaderError,
} from '@eventstore/db-client';
import type { Channel, ClientReadableStream } from '@grpc/grpc-js';
import { NoAnswer } from '../failures.js';
import { Inbox } from '../inbox.js';
import { channelOptions, clientOptions, isCluster } from './client-options.js';
import type { ConnectionSettings } from './connection-string.js';
import { type Heartbeat, heartbeat } from './heartbeat.js';
import { type Endpoint, endpointOf, nodeSearch } from './node-search.js';

export type ConnectionOptions = {
  /** The deadline of a call: a node from which nothing comes for two of them is given up. */
  readonly callMs: number;
  /** By default what the connection string says, or the leader. */
  readonly nodePreference?: NodePreference;
  /** Called for the first one of several in a row. */
  readonly onGivenUp?: (endpoint: Endpoint) => void;
};

/** For how many deadlines a node that was given up is avoided. Then the others know about it, or it is well again. */
const avoidedFor = 10;
const unavailable = 14;

/** A client with a connection of its own, which can be closed, and which leaves a node that has frozen. */
export class Connection extends EventStoreDBClient {
  readonly #options: ConnectionOptions;
  readonly #heartbeat: Heartbeat;
  #channel: Promise<Channel> | undefined;
  #givenUp: { readonly endpoint: Endpoint; readonly until: number } | undefined;
  #isRedirected = false;
  /** How to end the calls of one answer that are on their way, for their callers. */
  readonly #failCalls = new Set<(error: NoAnswer) => void>();

  constructor(settings: ConnectionSettings, options: ConnectionOptions) {
    const credentials = channelOptions(settings);
    const nodePreference = options.nodePreference ?? settings.nodePreference ?? 'leader';
    const gossipTimeoutS = settings.timing.gossipTimeout ?? Math.ceil(options.callMs / 1_000);
    super(clientOptions(settings, { nodePreference, gossipTimeoutS }), credentials, settings.credentials);
    this.#options = options;
    this.#heartbeat = heartbeat({
      link: () => this.getChannel(),
      ask: (limitMs) => this.#answers(limitMs),
      onSilence: (channel, isFirst) => this.#giveUp(channel, isFirst),
      callMs: options.callMs,
    });

    // So it appends by unary calls, which keep their deadline, whether or not there are credentials: decision 6.
    this.supports = () => Promise.resolve(false);

    const execute = this.execute;
    this.execute = (...call) =>
      new Promise((resolve, reject) => {
        this.#failCalls.add(reject);
        execute(...call)
          .then(resolve, reject)
          .finally(() => this.#failCalls.delete(reject));
      });

    const getChannel = this.getChannel;
    this.getChannel = () => {
      this.#heartbeat.start();
      this.#channel = getChannel();
      return this.#channel;
    };

    const resolveUri = this.resolveUri;
    if (isCluster(settings)) {
      const search = nodeSearch({ settings, credentials, nodePreference, gossipTimeoutS });
      this.resolveUri = () => {
        if (!this.#isRedirected) return search(this.#avoided);
        this.#isRedirected = false;
        return resolveUri(); // where the node that was called has said the leader is
      };
    }

    const reconnect = this.handleError;
    this.handleError = async (client, given) => {
      let error = convertToCommandError(given);
      if (error instanceof NotLeaderError) {
        // A node may go on for a while to name the leader that has frozen.
        if (endpointOf(error.leader) === this.#avoided) error = noNode();
        else this.#isRedirected = true;
      }
      // The client awaits this nowhere, and it rejects where no node is found: that would end the process. Calls are told.
      await reconnect(client, error).catch(() => undefined);
    };
  }

  /** Notes that something has come from the server. */
  heard(): void {
    this.#heartbeat.heard();
  }

  /** Cancels the calls that are open, and closes the connection. */
  async close(): Promise<void> {
    this.#heartbeat.stop();
    await this.dispose();
    // It may still be looking for a node, or have found none.
    this.#channel?.then(
      (channel) => channel.close(),
      () => undefined,
    );
  }

  get #avoided(): Endpoint | undefined {
    return this.#givenUp && performance.now() < this.#givenUp.until ? this.#givenUp.endpoint : undefined;
  }

  /** Whether a small read brings anything within this time, or fails. */
  async #answers(limitMs: number): Promise<boolean> {
    const endAt = performance.now() + limitMs;
    const read = this.readAll({ direction: BACKWARDS, fromPosition: END, maxCount: 1 });
    const inbox = new Inbox(read);
    while (!inbox.over) {
      if (!(await inbox.arrival(endAt - performance.now()))) {
        read.cancel().catch(() => undefined); // it fails where the call never came about
        return false;
      }
      inbox.take(1);
    }
    return true;
  }

  /** Ends what is under way over this channel, as calls that were not answered, and lets the next call make another one. */
  async #giveUp(channel: Channel, isFirst: boolean): Promise<void> {
    if (channel !== (await this.#channel)) return; // another one has taken its place meanwhile
    const [, endpoint = ''] = /([^:/]+:\d+)$/.exec(channel.getTarget()) ?? [];
    this.#givenUp = { endpoint, until: performance.now() + this.#options.callMs * avoidedFor };
    if (isFirst) this.#options.onGivenUp?.(endpoint);
    // All that the client wants of the caller is its channel.
    type Caller = Parameters<typeof this.handleError>[0];
    await this.handleError({ getChannel: () => channel } as unknown as Caller, noNode());
    for (const fail of this.#failCalls) fail(new NoAnswer('the node answers nothing'));
    // Disposing of them would look to their readers as if they had come to their end.
    for (const stream of openStreams(this)) {
      stream.destroy(new NoAnswer('the node answers nothing'));
      stream.cancel();
    }
  }
}

/** The client keeps them for itself, but for its types. There are only reads and subscriptions among them. */
const openStreams = (client: EventStoreDBClient) => [
  ...(client as unknown as { disposableStreams: ReadonlySet<ClientReadableStream<unknown>> }).disposableStreams,
];

const noNode = () => convertToCommandError(Object.assign(new Error('the node answers nothing'), { code: unavailable }));

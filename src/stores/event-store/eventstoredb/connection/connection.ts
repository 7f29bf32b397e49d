import { finished } from 'node:stream';
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
import { type ConnectionSettings, channelOptions, clientOptions, isCluster } from './connection-string.js';
import { type Heartbeat, heartbeat } from './heartbeat.js';
import { type Endpoint, endpointOf, type NodeSearch, nodeSearch } from './node-search.js';

export type ConnectionOptions = {
  /** A node that sends nothing for two of these is abandoned. */
  callMs: number;
  /** Default: the connection string's preference, or the leader. */
  nodePreference?: NodePreference;
  /** Called for the first of several abandoned nodes in a row. */
  onGivenUp?: (endpoint: Endpoint) => void;
};

/** Time in deadlines. By then the other nodes know about the abandoned node, or it has recovered. */
const avoidedFor = 10;
const unavailable = 14;
/** Time in deadlines: longer than a quiet subscription reads ahead. */
const quietFor = 2.5;
/** Time in deadlines: a node that is silent for this time may have lost its leadership, which the others are asked about. */
const lookAfter = 1 / 8;

/** A client that can be closed and that leaves a frozen node. */
export class Connection extends EventStoreDBClient {
  readonly #options: ConnectionOptions;
  readonly #heartbeat: Heartbeat;
  /** True for a connection to the leader, or to the only node. */
  readonly leads: boolean;
  #channel: Promise<Channel> | undefined;
  #givenUp: { endpoint: Endpoint; until: number } | undefined;
  #isRedirected = false;
  #search: NodeSearch | undefined;
  readonly #failCalls = new Set<(error: NoAnswer) => void>();
  /** Not the subscriptions. */
  readonly #reads = new Set<unknown>();

  constructor(settings: ConnectionSettings, options: ConnectionOptions) {
    const credentials = channelOptions(settings);
    const nodePreference = options.nodePreference ?? settings.nodePreference ?? 'leader';
    const gossipTimeoutS = settings.timing.gossipTimeout ?? Math.ceil(options.callMs / 1_000);
    super(clientOptions(settings, { nodePreference, gossipTimeoutS }), credentials, settings.credentials);
    this.#options = options;
    this.leads = nodePreference === 'leader' || !isCluster(settings);
    this.#heartbeat = heartbeat({
      link: () => this.getChannel(),
      isNeeded: (unheardMs) => this.#isAwaited(unheardMs),
      ask: (limitMs) => this.#answers(limitMs),
      onSilence: (channel, isFirst) => this.#giveUp(channel, isFirst),
      callMs: options.callMs,
    });

    // So that it appends by unary calls, which keep their deadline: decision 4.
    this.supports = () => Promise.resolve(false);

    const execute = this.execute;
    this.execute = (...call) =>
      new Promise((resolve, reject) => {
        this.#failCalls.add(reject);
        execute(...call)
          .then((answer) => {
            this.heard();
            resolve(answer);
          }, reject)
          .finally(() => this.#failCalls.delete(reject));
      });

    const createStream = this.GRPCStreamCreator;
    this.GRPCStreamCreator = (client, name, ...others) => {
      const create = createStream(client, name, ...others);
      return async () => {
        const stream = await create();
        if (name.startsWith('read')) this.#reads.add(stream);
        finished(stream, () => this.#reads.delete(stream));
        return stream;
      };
    };

    const getChannel = this.getChannel;
    this.getChannel = () => {
      this.#heartbeat.start();
      this.#channel = getChannel();
      return this.#channel;
    };

    const resolveUri = this.resolveUri;
    if (isCluster(settings)) {
      const search = nodeSearch({ settings, credentials, nodePreference, gossipTimeoutS });
      if (this.leads) this.#search = search; // of others, several may be named
      this.resolveUri = () => {
        if (!this.#isRedirected) return search.find(this.#avoided);
        this.#isRedirected = false;
        return resolveUri(); // to the leader, as the called node has named it
      };
    }

    const reconnect = this.handleError;
    this.handleError = async (client, given) => {
      let error = convertToCommandError(given);
      if (error instanceof NotLeaderError) {
        // For a while a node may still name the frozen leader.
        if (endpointOf(error.leader) === this.#avoided) error = noNode();
        else this.#isRedirected = true;
      }
      // The client never awaits this promise; an unhandled rejection would end the process. The calls get the error.
      await reconnect(client, error).catch(() => undefined);
    };
  }

  /** Subscriptions to the leader are quiet for a time, in which they read ahead on their connection. */
  #isAwaited(unheardMs: number): boolean {
    if (this.#failCalls.size > 0 || this.#reads.size > 0) return true;
    const isQuiet = this.leads && unheardMs < this.#options.callMs * quietFor;
    return openStreams(this).length > 0 && !isQuiet;
  }

  heard(): void {
    this.#heartbeat.heard();
  }

  async close(): Promise<void> {
    this.#heartbeat.stop();
    await this.dispose();
    // It may still be searching for a node, or have found none.
    this.#channel?.then(
      (channel) => channel.close(),
      () => undefined,
    );
  }

  get #avoided(): Endpoint | undefined {
    return this.#givenUp && performance.now() < this.#givenUp.until ? this.#givenUp.endpoint : undefined;
  }

  /** Also false if another node leads by now: the calls that began before its election would wait for this one. */
  async #answers(limitMs: number): Promise<boolean> {
    const endAt = performance.now() + limitMs;
    const lookMs = this.#options.callMs * lookAfter;
    const read = this.readAll({ direction: BACKWARDS, fromPosition: END, maxCount: 1 });
    const inbox = new Inbox(read);
    while (!inbox.ended) {
      const leftMs = endAt - performance.now();
      if (await inbox.arrival(Math.max(0, Math.min(leftMs, lookMs)))) inbox.take(1);
      else if (leftMs <= lookMs || (await this.#isReplaced(lookMs))) {
        read.cancel().catch(() => undefined); // it fails where the call was never made
        return false;
      }
    }
    return true;
  }

  async #isReplaced(withinMs: number): Promise<boolean> {
    const channel = await this.#channel;
    return (channel && this.#search?.isReplaced(endpointOfChannel(channel), withinMs)) ?? false;
  }

  /** Fails the calls on this channel as unanswered; the next call opens another. */
  async #giveUp(channel: Channel, isFirst: boolean): Promise<void> {
    if (channel !== (await this.#channel)) return; // another channel has replaced it meanwhile
    const endpoint = endpointOfChannel(channel);
    this.#givenUp = { endpoint, until: performance.now() + this.#options.callMs * avoidedFor };
    if (isFirst) this.#options.onGivenUp?.(endpoint);
    // The client needs only the caller's channel.
    type Caller = Parameters<typeof this.handleError>[0];
    await this.handleError({ getChannel: () => channel } as unknown as Caller, noNode());
    for (const fail of this.#failCalls) fail(new NoAnswer('the node answers nothing'));
    // Disposing of them would look like a normal end.
    for (const stream of openStreams(this)) {
      stream.destroy(new NoAnswer('the node answers nothing'));
      stream.cancel();
    }
  }
}

const endpointOfChannel = (channel: Channel): Endpoint => /[^:/]+:\d+$/.exec(channel.getTarget())?.[0] ?? '';

/** Private in the client's types; only reads and subscriptions. */
const openStreams = (client: EventStoreDBClient) => [
  ...(client as unknown as { disposableStreams: ReadonlySet<ClientReadableStream<unknown>> }).disposableStreams,
];

const noNode = () => convertToCommandError(Object.assign(new Error('the node answers nothing'), { code: unavailable }));

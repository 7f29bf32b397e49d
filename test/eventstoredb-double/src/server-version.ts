import type { ProposedEvent } from './store/recorded-event.js';

/** The lines of EventStoreDB, and of KurrentDB, its successor, that the double can stand for. */
export type VersionName = '23.10' | '24.10' | '26.1';

/** Differences of a line of EventStoreDB from the others, as far as clients can see. */
export interface ServerVersion {
  /** Version of the server whose behaviour this is. */
  number: string;
  /** Bytes of an append that count towards its maximum size. */
  sizeOf: (events: readonly ProposedEvent[]) => number;
  /** Maximum size of an append, where the server's option `--max-append-size` is not given. */
  maxAppendBytes: number;
  /** Maximum size of one message, which carries one event of an append at least. */
  maxMessageBytes: number;
  /** True if a live subscription is dropped once more is held for it than fits; otherwise it is caught up once more, later. */
  dropsSlowConsumers: boolean;
  /** True if a subscription to a stream that is missing or deleted is caught up before the stream exists. */
  missingStreamsAreCaughtUp: boolean;
  /** Failure of a read of $all from a position that is no event's. */
  noSuchPosition: string;
  /** True if a subscription to $all from such a position is confirmed before it fails. */
  confirmsAnyPosition: boolean;
}

const mebibyte = 1_048_576;

const sumOf = (events: readonly ProposedEvent[], bytesOf: (event: ProposedEvent) => number) =>
  events.reduce((sum, event) => sum + bytesOf(event), 0);

const v24: ServerVersion = {
  number: '24.10.4',
  sizeOf: (events) => sumOf(events, ({ type, data, metadata }) => 2 * type.length + data.length + metadata.length),
  maxAppendBytes: mebibyte,
  maxMessageBytes: 17 * mebibyte,
  dropsSlowConsumers: false,
  missingStreamsAreCaughtUp: true,
  noSuchPosition: 'InvalidPosition',
  confirmsAnyPosition: true,
};

export const serverVersions: Readonly<Record<VersionName, ServerVersion>> = {
  '23.10': {
    number: '23.10.8',
    sizeOf: (events) => sumOf(events, ({ data }) => data.length),
    maxAppendBytes: mebibyte,
    maxMessageBytes: 17 * mebibyte,
    dropsSlowConsumers: true,
    missingStreamsAreCaughtUp: false,
    noSuchPosition: 'Error',
    confirmsAnyPosition: false,
  },
  '24.10': v24,
  '26.1': { ...v24, number: '26.1.0', maxAppendBytes: 256 * mebibyte, maxMessageBytes: 16 * mebibyte - 1 },
};

export const versionNames = Object.keys(serverVersions) as readonly VersionName[];

export const isVersionName = (name: string): name is VersionName => Object.hasOwn(serverVersions, name);

import type { Connection } from '../connection/connection.js';
import type { Right } from '../failures.js';
import { pageSize } from './arrivals.js';
import type { StreamingCall } from './read-chunks.js';

type ClientRead = ReturnType<Connection['readAll']> | ReturnType<Connection['readStream']>;

/** Items read ahead wait in pages of this size; beyond that, the server waits. */
export const buffer = { highWaterMark: pageSize };
export const everything = Number.MAX_SAFE_INTEGER;

export const asCall = (stream: ClientRead, needs: Right): StreamingCall => ({
  stream,
  needs,
  cancel: () => stream.cancel(),
});

/** Options of every read. */
export const common = { requiresLeader: true };

import type { Connection } from '../connection/connection.js';
import type { Right } from '../failures.js';
import { pageSize } from './arrivals.js';
import type { StreamingCall } from './read-chunks.js';

type ClientRead = ReturnType<Connection['readAll']> | ReturnType<Connection['readStream']>;

export const buffer = { highWaterMark: pageSize };
export const everything = Number.MAX_SAFE_INTEGER;

export const asCall = (stream: ClientRead, needs: Right): StreamingCall => ({
  stream,
  needs,
  cancel: () => stream.cancel(),
});

export const common = { requiresLeader: true };

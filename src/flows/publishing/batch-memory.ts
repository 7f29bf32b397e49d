import { TooManyRequests } from '../../http/errors.js';

/** Maximum size of all batches of this process that are not answered yet. Parsed, they take several times as much memory. */
const maxTotalBytes = 48 * 1_024 * 1_024;

/** Runs the work on a batch of this size. */
type BatchMemory = <Result>(bytes: number, work: () => Promise<Result>) => Promise<Result>;

/** Bounds the memory of batches that wait for the store or the publishing pace. Rejects with `TooManyRequests` beyond it. */
export function batchMemory(maxBytes = maxTotalBytes): BatchMemory {
  let totalBytes = 0;
  return async (bytes, work) => {
    if (totalBytes + bytes > maxBytes) throw new TooManyRequests('too many batches at once; try again shortly');
    totalBytes += bytes;
    try {
      return await work();
    } finally {
      totalBytes -= bytes;
    }
  };
}

import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';

/** Offset of `mxFrame`, the number of frames in the log, in the WAL-index (https://www.sqlite.org/walformat.html#the_wal_index_header). */
const mxFrameAt = 16;
/** Interval between readings: a log that restarts in between loses the frames that were written before. */
const everyMs = 20;

/** Counts the pages that are written to the write-ahead logs of all databases in a directory, until it is stopped. */
export function watchPageWrites(directory: string): { readonly stop: () => number } {
  const seen = new Map<string, number>();
  let written = 0;
  read();
  written = 0;
  const timer = setInterval(read, everyMs);

  function read(): void {
    const logs = readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('-shm'));
    for (const name of logs) {
      const frames = framesOf(join(directory, name));
      const before = seen.get(name) ?? 0;
      written += frames >= before ? frames - before : frames; // less: the log has restarted
      seen.set(name, frames);
    }
  }

  return {
    stop() {
      clearInterval(timer);
      read();
      return written;
    },
  };
}

function framesOf(path: string): number {
  const buffer = new Uint32Array(1); // the WAL-index is in the machine's byte order
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    readSync(file, buffer, 0, 4, mxFrameAt);
  } catch {
    return 0; // the last connection has just closed it
  } finally {
    if (file !== undefined) closeSync(file);
  }
  return buffer[0] ?? 0;
}

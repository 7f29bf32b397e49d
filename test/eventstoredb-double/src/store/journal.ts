import { closeSync, existsSync, ftruncateSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs';
import type { RecordedEvent } from './recorded-event.js';

/** Events that one commit put into the log, and its end after it. */
export interface Write {
  events: readonly RecordedEvent[];
  end: bigint;
  /** The positions of the events that a scavenge has removed. */
  removed?: readonly bigint[];
}

/** Keeps the writes for the next start. */
export interface Journal {
  past(): Write[];
  add(write: Write): void;
  clear(): void;
  close(): void;
}

export const withoutJournal: Journal = { past: () => [], add: () => {}, clear: () => {}, close: () => {} };

const toLine = ({ events, end, removed }: Write) =>
  `${JSON.stringify({
    end: String(end),
    removed: removed?.map(String),
    events: events.map(({ revision, position, data, metadata, ...rest }) => ({
      ...rest,
      revision: String(revision),
      position: String(position),
      data: Buffer.from(data).toString('base64'),
      metadata: Buffer.from(metadata).toString('base64'),
    })),
  })}\n`;

type StoredEvent = { [Key in keyof RecordedEvent]: RecordedEvent[Key] extends number ? number : string };

function fromLine(line: string): Write {
  // The line is one of ours: only whole lines are read.
  const { end, removed, events } = JSON.parse(line) as { end: string; removed?: string[]; events: StoredEvent[] };
  return {
    end: BigInt(end),
    ...(removed && { removed: removed.map(BigInt) }),
    events: events.map(({ revision, position, data, metadata, ...rest }) => ({
      ...rest,
      revision: BigInt(revision),
      position: BigInt(position),
      data: Buffer.from(data, 'base64'),
      metadata: Buffer.from(metadata, 'base64'),
    })),
  };
}

/**
 * JSON lines in `file`, one for each write, handed to the operating system before the writer is answered: what was
 * acknowledged survives a kill of the process. A last line that a kill cut off was never acknowledged, and is cut.
 */
export function fileJournal(file: string): Journal {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  if (whole.length < text.length) truncateSync(file, Buffer.byteLength(whole));
  const past = whole.split('\n').filter(Boolean).map(fromLine);
  const descriptor = openSync(file, 'a');
  return {
    past: () => past.splice(0),
    add(write) {
      const bytes = Buffer.from(toLine(write));
      for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written);
    },
    clear: () => ftruncateSync(descriptor),
    close: () => closeSync(descriptor),
  };
}

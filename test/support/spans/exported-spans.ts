import { existsSync, readFileSync } from 'node:fs';
import type { Attributes } from '@opentelemetry/api';

/** A span as `export-spans.ts` writes it. */
export type ExportedSpan = {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  kind: number;
  failed: boolean;
  attributes: Attributes;
  pid: number;
  threadId: number;
};

/** Loads an SDK into a service that writes its spans to a file, and exports them only at the end of each thread. */
export const exportingTo = (path: string): Readonly<Record<string, string>> => ({
  NODE_OPTIONS: `--import ${new URL('./export-spans.js', import.meta.url).href}`,
  SPANS_FILE: path,
});

/** The spans that were exported to a file. */
export const spansIn = (path: string): readonly ExportedSpan[] =>
  existsSync(path)
    ? readFileSync(path, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as ExportedSpan)
    : [];

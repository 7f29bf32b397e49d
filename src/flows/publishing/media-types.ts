import { maxBodyBytes, type TextBodyLimit } from '../../http/body.js';
import type { Context } from '../../http/context.js';

/** Maximum size of the body of a batch. */
const maxBatchBytes = 4 * 1_024 * 1_024;

export const publishPath = '/api/flows';
export const batchPath = '/api/flows/batch';

/** As producers send flow events. */
type PublishedFormat = 'event' | 'event list' | 'event lines' | CloudEventFormat;
/** The content modes of the HTTP binding of CloudEvents 1.0 (§3.1 to 3.3). */
type CloudEventFormat = 'structured CloudEvent' | 'binary CloudEvent' | 'CloudEvent list';

/** Newline-delimited JSON has no registered type; these are in use. */
export const lineTypes = ['application/x-ndjson', 'application/ndjson', 'application/jsonl'] as const;
export const structuredType = 'application/cloudevents+json';
export const cloudEventListType = 'application/cloudevents-batch+json';

/** Header of a required attribute: one is enough for a request to be an event in binary mode, so that the error names the others. */
const binaryHeaders = ['ce-specversion', 'ce-id', 'ce-source', 'ce-type'];

/** Format of a request to `publishPath`. */
export function formatOf(ctx: Context): PublishedFormat {
  const type = mediaTypeOf(ctx);
  if (type === cloudEventListType) return 'CloudEvent list';
  if (type === structuredType) return 'structured CloudEvent';
  return binaryHeaders.some((name) => ctx.get(name) !== '') ? 'binary CloudEvent' : 'event';
}

/** Format of a request to `batchPath`. */
export function batchFormatOf(ctx: Context): 'event list' | 'event lines' | 'CloudEvent list' | undefined {
  const type = mediaTypeOf(ctx);
  if (type === cloudEventListType) return 'CloudEvent list';
  if (type === 'application/json') return 'event list';
  return lineTypes.some((each) => each === type) ? 'event lines' : undefined;
}

/** Content-Type without parameters, in lower case; empty if there is none. */
export const mediaTypeOf = ({ request }: Context): string => request.type.trim().toLowerCase();

/** The bodies that the routes of producers parse from their text: all but single flow events of our own format. */
export const publishedBodyLimit: TextBodyLimit = (ctx) => {
  if (ctx.method !== 'POST') return undefined;
  const path = ctx.path.toLowerCase().replace(/\/$/, ''); // as the router compares
  if (path === batchPath) return maxBatchBytes;
  if (path !== publishPath) return undefined;
  const format = formatOf(ctx);
  if (format === 'event') return undefined;
  return format === 'CloudEvent list' ? maxBatchBytes : maxBodyBytes;
};

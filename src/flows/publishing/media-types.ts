import { maxBodyBytes, type RouteBodyLimit } from '../../http/body.js';
import type { Context } from '../../http/context.js';
import { mediaTypeOf } from '../../http/media-type.js';

const maxBatchBytes = 4 * 1_024 * 1_024;

export const publishPath = '/api/flows';
export const batchPath = '/api/flows/batch';

type PublishedFormat = 'event' | 'event list' | 'event lines' | CloudEventFormat;
/** CloudEvents 1.0 HTTP binding, §3.1 to 3.3. */
type CloudEventFormat = 'structured CloudEvent' | 'binary CloudEvent' | 'CloudEvent list';

/** No type is registered; these are in use. */
export const lineTypes = ['application/x-ndjson', 'application/ndjson', 'application/jsonl'] as const;
export const structuredType = 'application/cloudevents+json';
export const cloudEventListType = 'application/cloudevents-batch+json';

/** One of the required attributes is enough, so that the error names the others. */
const binaryHeaders = ['ce-specversion', 'ce-id', 'ce-source', 'ce-type'];

export function formatOf(ctx: Context): PublishedFormat {
  const type = mediaTypeOf(ctx);
  if (type === cloudEventListType) return 'CloudEvent list';
  if (type === structuredType) return 'structured CloudEvent';
  return binaryHeaders.some((name) => ctx.get(name) !== '') ? 'binary CloudEvent' : 'event';
}

export function batchFormatOf(ctx: Context): 'event list' | 'event lines' | 'CloudEvent list' | undefined {
  const type = mediaTypeOf(ctx);
  if (type === cloudEventListType) return 'CloudEvent list';
  if (type === 'application/json') return 'event list';
  return lineTypes.some((each) => each === type) ? 'event lines' : undefined;
}

/** All but single flow events of our own format. */
export const publishedBodyLimit: RouteBodyLimit = (ctx) => {
  if (ctx.method !== 'POST') return undefined;
  const path = ctx.path.toLowerCase().replace(/\/$/, ''); // as the router compares
  if (path === batchPath) return maxBatchBytes;
  if (path !== publishPath) return undefined;
  const format = formatOf(ctx);
  if (format === 'event') return undefined;
  return format === 'CloudEvent list' ? maxBatchBytes : maxBodyBytes;
};

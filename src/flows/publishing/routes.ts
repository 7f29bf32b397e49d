import Router from '@koa/router';
import type { z } from 'zod';
import type { Identity, Publisher } from '../../access/identity/caller.js';
import { bodyBytes, jsonBody, parsedJson } from '../../http/body.js';
import type { Context, RequestState, Routes } from '../../http/context.js';
import { TooManyRequests } from '../../http/errors.js';
import type { ListenerLimits, PublishingLimits } from '../../http/limits/request-limits.js';
import { jsonText } from '../../http/media-type.js';
import { serve } from '../../http/route-contract.js';
import { InvalidRequest } from '../../kernel/domain-error.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { type batchAnswer, type publishAnswer, publishRequest } from '../contract.js';
import type { PublishingPace } from '../publishing-pace.js';
import type { CheckPublished } from '../types/publishing-checks.js';
import { binaryCloudEvent, flowEventOf } from './cloud-event.js';
import { publishBatchRoute, publishRoute } from './contract.js';
import { batchFormatOf, formatOf } from './media-types.js';
import { publishEvents, warnOfLargeEvents } from './publish-events.js';
import { batchItems, type SentEvent } from './sent-events.js';

/** Unanswered batches; parsed, they take several times as much memory. */
const maxTotalBytes = 48 * 1_024 * 1_024;

type BatchMemory = <Result>(bytes: number, work: () => Promise<Result>) => Promise<Result>;

/** Rejects with `TooManyRequests` beyond the limit. */
function batchMemory(maxBytes = maxTotalBytes): BatchMemory {
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

export type PublishRoutesDependencies = {
  store: EventStore;
  identity: Identity;
  maxEventBytes: number;
  checkPublished: CheckPublished;
  pace: PublishingPace;
  limits: ListenerLimits & PublishingLimits;
};

export function publishRoutes({ identity, limits, ...dependencies }: PublishRoutesDependencies): Routes {
  const router: Routes = new Router<RequestState>({ sensitive: true });
  const publish = publishEvents({ ...dependencies, limits, warnOfSize: warnOfLargeEvents() });
  const inMemory = batchMemory();

  async function callerOf(ctx: Context): Promise<Publisher> {
    await limits.arrival(ctx);
    return identity.publisher(ctx);
  }

  async function answerBatch(ctx: Context, publisher: Publisher): Promise<void> {
    const format = batchFormatOf(ctx);
    if (!format) throw new InvalidRequest(batchTypes);
    const text = jsonText(ctx, bodyBytes(ctx));
    const results = await inMemory(text.length, () => publish.batch(ctx.state, publisher, batchItems(text, format)));
    const rejected = results.filter(({ status }) => status === 'rejected').length;
    ctx.status = 202;
    ctx.body = { accepted: results.length - rejected, rejected, results } satisfies z.output<typeof batchAnswer>;
  }

  serve(router, publishRoute, async (ctx) => {
    const publisher = await callerOf(ctx);
    if (formatOf(ctx) === 'CloudEvent list') return answerBatch(ctx, publisher);
    const { id, warning, differs } = await publish.one(ctx.state, publisher, sentEvent(ctx));
    if (warning !== undefined) ctx.set(warningHeader, asciiOnly(warning));
    ctx.status = 202;
    ctx.body = { id, differs } satisfies z.output<typeof publishAnswer>;
  });

  serve(router, publishBatchRoute, async (ctx) => answerBatch(ctx, await callerOf(ctx)));

  return router;
}

const warningHeader = 'Flow-Hooks-Warning';

const asciiOnly = (text: string): string =>
  text.replace(/[^\x20-\x7e]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

const batchTypes =
  'send a batch as application/json (an array), application/x-ndjson or application/cloudevents-batch+json';

function sentEvent(ctx: Context): SentEvent {
  const format = formatOf(ctx);
  if (format === 'structured CloudEvent') return flowEventOf(parsedJson(jsonText(ctx, bodyBytes(ctx)), 'the body'));
  return format === 'binary CloudEvent' ? flowEventOf(binaryCloudEvent(ctx)) : jsonBody(ctx, publishRequest);
}

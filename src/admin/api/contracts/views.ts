import { z } from 'zod';
import { verificationResult } from '../../../audit/background-verifications.js';
import { textForPeople } from '../../../kernel/input/texts.js';
import { adminRoutesOf } from '../routing/admin-route.js';
import { listAnswer, position, positionText } from './fields.js';

/** -1: empty store. */
const end = z.string().regex(/^(-1|\d+)$/);

const rebuild = z
  .strictObject({
    build: z.string().nullable(),
    holder: z
      .strictObject({ host: z.string(), pid: z.int(), since: z.string() })
      .nullable()
      .describe('The process that works on it; null: it was left unfinished, and the next rebuild continues it.'),
    cancelled: z.boolean(),
    progress: z
      .strictObject({
        phase: z
          .enum(['loading', 'indexing', 'catching up', 'verifying', 'done', 'folding', 'comparing'])
          .describe('`folding` and `comparing` are the phases of a verification, which changes no view.'),
        events: z.number(),
        perSecond: z.number(),
        position: end,
        head: end,
      })
      .nullable(),
  })
  .meta({
    id: 'Rebuild',
    description: 'A rebuild or a verification that is under way, or a rebuild that was left unfinished.',
  });

const viewAnswer = z
  .strictObject({
    name: z.string(),
    version: z.int(),
    build: z.string().nullable().describe('The live build; null: the view has not been built yet.'),
    otherBuilds: z.array(z.string()).describe('Builds that are not read: former ones, and one that is being made.'),
    position: end.nullable().describe('All events up to this position are in the view.'),
    head: end.describe('The end of the event store.'),
    lag: z
      .strictObject({
        events: z.int(),
        orMore: z.boolean().describe('There may be more: they are counted up to a limit.'),
        seconds: z.number().describe('Age of the first event that the view does not have.'),
      })
      .nullable(),
    setAside: z
      .strictObject({ as: z.string(), since: z.string() })
      .nullable()
      .describe('The damaged build that was set aside, while there is no other.'),
    error: z
      .strictObject({ message: z.string(), position: end.nullable(), since: z.string() })
      .nullable()
      .describe('The error that has stopped the view.'),
    rebuild: rebuild.nullable(),
    caughtUp: z.boolean(),
    eventsPerSecond: z.number().nullable().describe('Null on an instance that does not project this view.'),
    holder: z.string().nullable().describe('The instance that projects this view.'),
    lastRebuild: z
      .strictObject({
        build: z.string(),
        events: z
          .int()
          .describe('Number of events handled, without the work of an interrupted rebuild that it continued.'),
        seconds: z.number(),
        resumed: z.boolean().describe('It continued an unfinished build.'),
        verified: z.int().nullable().describe('Number of documents compared with those of the live build before.'),
      })
      .nullable()
      .describe('The last rebuild that this instance has completed.'),
    rebuildFailure: z.string().nullable().describe('The error that ended the last rebuild started by this instance.'),
  })
  .meta({ id: 'View', description: 'The progress of a view.' });

const cancelledRebuildAnswer = z
  .strictObject({
    name: z.string(),
    cancelled: z
      .enum(['asked', 'dropped', 'none'])
      .describe(
        '`asked`: the process that works on it stops within seconds. `dropped`: the unfinished build was deleted. `none`: there was no rebuild.',
      ),
  })
  .meta({ id: 'CancelledRebuild' });

const skippedEventAnswer = z
  .strictObject({
    projection: z.string(),
    eventId: z.string(),
    eventType: z.string(),
    stream: z.string(),
    revision: positionText,
    position: positionText,
    why: z.string(),
  })
  .meta({ id: 'SkippedEvent', description: 'An event that a view leaves out.' });

const progress = z.strictObject({
  phase: z.enum(['folding', 'comparing']),
  done: z.string().describe('While folding a position, while comparing a number of documents.'),
  total: z.string(),
});

const verificationAnswer = z
  .strictObject({
    name: z.string(),
    running: progress
      .nullable()
      .describe('The verification that any instance runs; `POST /views/{name}/cancel` cancels it.'),
    last: verificationResult
      .nullable()
      .describe('The last verification of this view by the instance that answers, since its start.'),
  })
  .meta({ id: 'Verification' });

const example = { name: 'listeners', version: 2, otherBuilds: [], position: '4712', lag: {}, caughtUp: true } as const;
const running = { done: '120000', total: '300000' };

const route = adminRoutesOf('views');
const params = { name: z.string().meta({ description: 'The name of a view.', examples: ['listeners'] }) };

export const listViewsRoute = route('listViews', 'get', '/views', {
  summary: 'List the views',
  description: 'The position of each view, and its running or unfinished rebuild.',
  answer: listAnswer(viewAnswer, example),
  access: { role: 'viewer', organisation: 'service' },
});

export const showViewRoute = route('showView', 'get', '/views/:name', {
  summary: 'Show a view',
  params,
  answer: { schema: viewAnswer, example },
  errors: ['not_found'],
  access: { role: 'viewer', organisation: 'service' },
});

export const rebuildViewRoute = route('rebuildView', 'post', '/views/:name/rebuild', {
  summary: 'Start a rebuild of a view',
  description: 'Runs on this instance, in the background. The live view is used until the new build takes over.',
  params,
  body: {
    verify: z.boolean().default(false).describe('Compare the new build with the live one before it takes over.'),
  },
  bodyExample: { verify: true },
  answer: { status: 202, schema: viewAnswer, example: { ...example, rebuild: { build: 'listeners-v2-2' } } },
  errors: ['not_found', 'rebuild_under_way'],
  access: { role: 'operator', organisation: 'service' },
});

export const cancelRebuildRoute = route('cancelRebuild', 'post', '/views/:name/cancel', {
  summary: 'Cancel the rebuild of a view',
  description: 'Works on any instance. The live view is unchanged.',
  params,
  answer: { schema: cancelledRebuildAnswer, example: { name: 'listeners' } },
  errors: ['not_found'],
  access: { role: 'operator', organisation: 'service' },
});

export const skipEventRoute = route('skipEvent', 'post', '/views/:name/skip', {
  summary: 'Leave an event out of a view',
  description:
    'Serves for an event that stops the view. A view that has handled it keeps the result until it is rebuilt.',
  params,
  body: { position, why: textForPeople(1_000).describe('The reason, for readers of the history.') },
  bodyExample: { position: '4711', why: 'it was written by a faulty release' },
  answer: {
    schema: skippedEventAnswer,
    example: { projection: 'listeners', eventType: 'ListenerSubscribed', why: 'it was written by a faulty release' },
  },
  errors: ['not_found'],
  access: { role: 'operator', organisation: 'service' },
});

export const startVerificationRoute = route('startVerification', 'post', '/views/:name/verify', {
  summary: 'Verify a view on this instance',
  description:
    'Folds all events again, into a temporary directory of this instance, and compares the documents with those of the live view.',
  params,
  answer: { status: 202, schema: verificationAnswer, example: { name: 'listeners', running } },
  errors: ['not_found', 'rebuild_under_way'],
  access: { role: 'operator', organisation: 'service' },
});

export const showVerificationRoute = route('showVerification', 'get', '/views/:name/verification', {
  summary: 'Show the running verification of a view, and the last result',
  params,
  answer: { schema: verificationAnswer, example: { name: 'listeners', running } },
  errors: ['not_found'],
  access: { role: 'viewer', organisation: 'service' },
});

export const viewContracts = route.declared;

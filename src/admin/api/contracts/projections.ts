import { z } from 'zod';
import { verificationAnswer, verificationExample } from '../answers/verification.js';
import {
  cancelledRebuildAnswer,
  rebuildExample,
  skippedEventAnswer,
  skippedEventExample,
  viewAnswer,
  viewExample,
} from '../answers/view.js';
import { adminRoute } from '../routing/admin-route.js';
import { listOf, position } from './fields.js';

const subject = 'views';
const params = { name: z.string().meta({ description: 'The name of a view.', examples: ['listeners'] }) };

export const listProjectionsRoute = adminRoute({
  method: 'get',
  path: '/projections',
  subject,
  summary: 'List the views',
  description: 'The position of each view, and its running or unfinished rebuild.',
  answer: { schema: listOf(viewAnswer), example: { items: [viewExample], next: null } },
  errors: [],
  access: { role: 'viewer', organisation: 'service' },
});

export const showProjectionRoute = adminRoute({
  method: 'get',
  path: '/projections/:name',
  subject,
  summary: 'Show a view',
  params,
  answer: { schema: viewAnswer, example: viewExample },
  errors: ['not_found'],
  access: { role: 'viewer', organisation: 'service' },
});

export const rebuildProjectionRoute = adminRoute({
  method: 'post',
  path: '/projections/:name/rebuild',
  subject,
  summary: 'Start a rebuild of a view',
  description: 'On this instance, in the background. The live view is used until the new build takes over.',
  params,
  body: {
    verify: z.boolean().default(false).describe('Compare the new build with the live one before it takes over.'),
  },
  bodyExample: { verify: true },
  answer: { status: 202, schema: viewAnswer, example: { ...viewExample, rebuild: rebuildExample } },
  errors: ['not_found', 'rebuild_under_way'],
  access: { role: 'operator', organisation: 'service' },
});

export const cancelRebuildRoute = adminRoute({
  method: 'post',
  path: '/projections/:name/cancel',
  subject,
  summary: 'Cancel the rebuild of a view',
  description: 'On any instance. The live view is unchanged.',
  params,
  answer: { schema: cancelledRebuildAnswer, example: { name: 'listeners', cancelled: 'asked' } },
  errors: ['not_found'],
  access: { role: 'operator', organisation: 'service' },
});

export const skipEventRoute = adminRoute({
  method: 'post',
  path: '/projections/:name/skip',
  subject,
  summary: 'Make a view leave out an event',
  description: 'For an event that stops the view. A view that has handled it keeps the result until it is rebuilt.',
  params,
  body: { position, why: z.string().min(1).max(1_000).describe('For readers of the history.') },
  bodyExample: { position: '4711', why: 'it was written by a faulty release' },
  answer: { schema: skippedEventAnswer, example: skippedEventExample },
  errors: ['not_found'],
  access: { role: 'operator', organisation: 'service' },
});

export const startVerificationRoute = adminRoute({
  method: 'post',
  path: '/projections/:name/verify',
  subject,
  summary: 'Verify a view on this instance',
  description:
    'Folds all events again, into a temporary directory of this instance, and compares the documents with those of the live view.',
  params,
  answer: { status: 202, schema: verificationAnswer, example: verificationExample },
  errors: ['not_found', 'rebuild_under_way'],
  access: { role: 'operator', organisation: 'service' },
});

export const showVerificationRoute = adminRoute({
  method: 'get',
  path: '/projections/:name/verification',
  subject,
  summary: 'Show the running verification of a view, and the last result',
  params,
  answer: { schema: verificationAnswer, example: verificationExample },
  errors: ['not_found'],
  access: { role: 'viewer', organisation: 'service' },
});

export const projectionContracts = [
  startVerificationRoute,
  showVerificationRoute,
  listProjectionsRoute,
  showProjectionRoute,
  rebuildProjectionRoute,
  cancelRebuildRoute,
  skipEventRoute,
];

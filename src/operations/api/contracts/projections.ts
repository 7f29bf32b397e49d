import { z } from 'zod';
import { adminRoute } from '../routing/admin-route.js';
import { wholeNumber } from './lists.js';

const subject = 'Views';
const params = { name: z.string() };

export const listProjectionsRoute = adminRoute({
  method: 'get',
  path: '/projections',
  subject,
  summary: 'List the views',
  description: 'The position of each view, and its running or unfinished rebuild.',
  answer: { schema: z.unknown(), example: {} },
  errors: [],
  access: { role: 'viewer', organisation: 'service' },
});

export const showProjectionRoute = adminRoute({
  method: 'get',
  path: '/projections/:name',
  subject,
  summary: 'Show a view',
  params,
  answer: { schema: z.unknown(), example: {} },
  errors: ['not_found'],
  access: { role: 'viewer', organisation: 'service' },
});

export const rebuildProjectionRoute = adminRoute({
  method: 'post',
  path: '/projections/:name/rebuild',
  subject,
  summary: 'Start a rebuild of a view on this instance',
  params,
  body: { verify: z.boolean().default(false) },
  answer: { status: 202, schema: z.unknown(), example: {} },
  errors: ['not_found', 'rebuild_under_way'],
  access: { role: 'operator', organisation: 'service' },
});

export const cancelRebuildRoute = adminRoute({
  method: 'post',
  path: '/projections/:name/cancel',
  subject,
  summary: 'Cancel the rebuild of a view on any instance',
  params,
  answer: { schema: z.unknown(), example: {} },
  errors: ['not_found'],
  access: { role: 'operator', organisation: 'service' },
});

export const skipEventRoute = adminRoute({
  method: 'post',
  path: '/projections/:name/skip',
  subject,
  summary: 'Make a view leave out the event at a position',
  params,
  body: { position: wholeNumber, why: z.string().min(1).max(1_000) },
  answer: { schema: z.unknown(), example: {} },
  errors: ['not_found'],
  access: { role: 'operator', organisation: 'service' },
});

export const projectionContracts = [
  listProjectionsRoute,
  showProjectionRoute,
  rebuildProjectionRoute,
  cancelRebuildRoute,
  skipEventRoute,
];

import { z } from 'zod';
import { statsRequest } from '../../../deliveries/operate/contract.js';
import { adminRoute } from '../routing/admin-route.js';

export const showStatsRoute = adminRoute({
  method: 'get',
  path: '/stats',
  subject: 'Deliveries',
  summary: 'Show the results of attempts by hook and by day',
  query: statsRequest,
  answer: { schema: z.unknown(), example: {} },
  errors: [],
  access: { role: 'viewer', organisation: 'query' },
});

export const statsContracts = [showStatsRoute];

import { z } from 'zod';
import type { RouteDescription } from '../../http/api-description/route-description.js';

/** The route of `metricsRoutes`. */
export const metricsDescription: RouteDescription = {
  method: 'get',
  path: '/metrics',
  tag: 'Monitoring',
  summary: 'Show the metrics of this instance',
  description: 'In the text format of Prometheus.',
  credentials: { anonymous: [] },
  answers: { 200: { description: 'The metrics.', type: 'text/plain', schema: z.string() } },
  errors: ['too_many_requests', 'internal_error'],
  commonErrors: 'none',
};

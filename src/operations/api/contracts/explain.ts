import { z } from 'zod';
import { opaqueId } from '../../../kernel/input/opaque-id.js';
import { listenerIdParameter } from '../../../kernel/input/uuid-parameter.js';
import { adminRoute } from '../routing/admin-route.js';

export const explainFlowEventRoute = adminRoute({
  method: 'post',
  path: '/flows/:eventId/explain',
  subject: 'Flow events',
  summary: 'Explain the deliveries of a flow event',
  description:
    'For each hook of an organisation: whether it got the flow event, and why. It changes nothing; it is a POST because the ' +
    'URL of a hook is a capability and must not appear in access logs.',
  params: { eventId: opaqueId },
  body: {
    orgId: opaqueId,
    listenerId: listenerIdParameter.optional(),
    hookUrl: z.string().optional(),
    limit: z.int().min(1).max(1_000).default(100),
    after: z.string().optional(),
  },
  answer: { schema: z.unknown(), example: {} },
  errors: ['not_found', 'flow_event_not_found', 'flow_event_deleted'],
  access: { role: 'viewer', organisation: 'body' },
});

export const explainContracts = [explainFlowEventRoute];

import { z } from 'zod';
import { opaqueId } from '../../../kernel/input/opaque-id.js';
import { listenerIdParameter } from '../../../kernel/input/uuid-parameter.js';
import { explanationAnswer, explanationExample } from '../answers/explanation.js';
import { exampleIds } from '../answers/values.js';
import { adminRoute } from '../routing/admin-route.js';
import { orgIdField } from './fields.js';

export const explainFlowEventRoute = adminRoute({
  method: 'post',
  path: '/flows/:eventId/explain',
  subject: 'Flow events',
  summary: 'Explain the deliveries of a flow event',
  description:
    'For each hook of an organisation: whether it got the flow event, and why. It changes nothing; it is a POST because the ' +
    'URL of a hook is a capability and must not appear in access logs.',
  params: {
    eventId: opaqueId.meta({
      description: 'The ID with which the flow event was published, or its UUID in the event store.',
      examples: [exampleIds.eventId],
    }),
  },
  body: {
    orgId: orgIdField,
    listenerId: listenerIdParameter.optional(),
    hookUrl: z.string().optional(),
    limit: z.int().min(1).max(1_000).default(100),
    after: z.string().optional(),
  },
  bodyExample: { orgId: exampleIds.orgId },
  answer: { schema: explanationAnswer, example: explanationExample },
  errors: ['not_found', 'flow_event_not_found'],
  access: { role: 'viewer', organisation: 'body' },
});

export const explainContracts = [explainFlowEventRoute];

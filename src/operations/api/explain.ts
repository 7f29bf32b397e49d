import { type ExplainSources, explainFlowEvent } from '../../deliveries/operate/explain/explain-flow-event.js';
import { explainedSummary } from '../../deliveries/operate/explain/explained-summary.js';
import { explainFlowEventRoute } from './contracts/explain.js';
import { type BoundRoute, handle } from './routing/handle.js';
import { orNotFound } from './routing/hook-owner.js';

export type ExplainRoutes = { readonly explain: ExplainSources };

export const explainRoutes = ({ explain }: ExplainRoutes): readonly BoundRoute[] => [
  handle(explainFlowEventRoute, async ({ params, body }) => {
    const explained = await orNotFound(
      () => explainFlowEvent(explain, { ...body, ...params }),
      'the organisation never had this hook',
    );
    return explainedSummary(explained, { byHookUrl: body.hookUrl !== undefined });
  }),
];

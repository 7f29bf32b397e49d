import { expect } from 'chai';
import { explainFlowEventRoute } from '../../../src/admin/api/contracts/explanation.js';
import { type FlowEventRoutes, flowEventRoutes } from '../../../src/admin/api/flow-events.js';
import { adminApi } from '../../../src/admin/api/routing/admin-api.js';
import type { ExplainSources } from '../../../src/deliveries/explain/explain-flow-event.js';
import { rejection } from '../../support/rejection.js';

const viewer = { actor: 'admin:eve', role: 'viewer', orgId: null } as const;

describe('explaining flow events over the API', () => {
  it('refuses a third explanation of an organisation while two are in progress, and none of another organisation', async () => {
    const asked: string[] = [];
    let answer: () => void = () => undefined;
    const answered = new Promise<readonly []>((resolve) => {
      answer = () => resolve([]);
    });
    // The first thing that an explanation asks for: it waits here.
    const events = ({ orgId }: { orgId: string }) => {
      asked.push(orgId);
      return answered;
    };
    const readStream = async function* () {};
    const explain = { store: { readStream }, queue: { events } } as unknown as ExplainSources; // no more is used
    const api = adminApi(flowEventRoutes({ explain } as unknown as FlowEventRoutes)); // nor of these
    const explainIn = (orgId: string) =>
      rejection(api.call(explainFlowEventRoute, { params: { eventId: 'order-1' }, body: { orgId } }, viewer));
    const inProgress = [explainIn('acme'), explainIn('acme'), explainIn('globex')];
    expect(await explainIn('acme')).to.include({ code: 'too_many_requests' });
    expect(asked).to.deep.equal(['acme', 'acme', 'globex']);
    answer();
    for (const each of await Promise.all(inProgress)) expect(each).to.include({ code: 'flow_event_not_found' });
    expect(await explainIn('acme')).to.include({ code: 'flow_event_not_found' });
  });
});

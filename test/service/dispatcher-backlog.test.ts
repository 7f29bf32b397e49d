import { expect } from 'chai';
import type { AttemptOutcome, LeasedDelivery } from '../../src/queue/leasing.js';
import { countBacklog, newBacklog } from '../../src/service/dispatcher-settings.js';
import { bucketOf } from '../../src/stores/event-store/bucket.js';

describe('the backlog of the dispatcher', () => {
  const backlog = newBacklog();
  const { onEnqueued, onAttempted } = countBacklog(backlog);
  const orgId = 'acme';
  const attempted = (attempt: number, kind: AttemptOutcome['kind']) =>
    onAttempted({ attempt, orgId } as LeasedDelivery, { kind } as AttemptOutcome);
  const of = (organisation: string) => backlog[bucketOf(organisation) % backlog.length];

  it('grows by the deliveries that are new', () => {
    onEnqueued([orgId, orgId]);
    onEnqueued([]);
    onEnqueued([orgId, 'globex', orgId, orgId]);
    expect([of(orgId), of('globex')]).to.deep.equal([5, 1]);
  });

  it('shrinks with the first attempt at each, with any outcome', () => {
    attempted(1, 'succeeded');
    attempted(1, 'failed');
    expect([of(orgId), of('globex')]).to.deep.equal([3, 1]);
  });

  it('stays if a delivery is released, or was attempted before', () => {
    attempted(1, 'released');
    attempted(2, 'succeeded');
    expect([of(orgId), of('globex')]).to.deep.equal([3, 1]);
  });
});

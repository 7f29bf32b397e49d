import { expect } from 'chai';
import type { AttemptOutcome, LeasedDelivery } from '../../src/queue/leasing.js';
import { countBacklog, newBacklog } from '../../src/service/dispatcher-settings.js';

describe('the backlog of the dispatcher', () => {
  const backlog = newBacklog();
  const { onEnqueued, onAttempted } = countBacklog(backlog);
  const attempted = (attempt: number, kind: AttemptOutcome['kind']) =>
    onAttempted({ attempt } as LeasedDelivery, { kind } as AttemptOutcome);

  it('grows by the deliveries that are new', () => {
    onEnqueued(2);
    onEnqueued(0);
    onEnqueued(3);
    expect(backlog[0]).to.equal(5);
  });

  it('shrinks with the first attempt at each, with any outcome', () => {
    attempted(1, 'succeeded');
    attempted(1, 'failed');
    expect(backlog[0]).to.equal(3);
  });

  it('stays if a delivery is released, or was attempted before', () => {
    attempted(1, 'released');
    attempted(2, 'succeeded');
    expect(backlog[0]).to.equal(3);
  });
});

import { expect } from 'chai';
import { publishingPace } from '../../src/flows/publishing-pace.js';
import { bucketOf } from '../../src/stores/event-store/bucket.js';

const orgId = 'acme';

describe('the pace of publishing', () => {
  let load: number;
  /** Deliveries of the publisher's organisation, and of all others. */
  let backlog: number;
  let ofOthers: number;
  let ofEach: number;
  let clock: number;
  let pace: ReturnType<typeof publishingPace>;
  let whileWaiting: () => void;

  beforeEach(() => {
    load = 1;
    backlog = 0;
    ofOthers = 0;
    ofEach = 0;
    clock = 0;
    whileWaiting = () => undefined;
    const wait = async (ms: number) => {
      clock += ms;
      whileWaiting();
    };
    pace = publishingPace({ load: () => load, backlog: counts }, { now: () => clock, wait });
  });

  /** `ofOthers` are of one other organisation, `ofEach` of each of the rest. */
  const counts = () => Array.from({ length: 16 }, (_, bucket) => [backlog, ofOthers][distance(bucket)] ?? ofEach);
  const distance = (bucket: number) => (bucket - (bucketOf(orgId) % 16) + 16) % 16;

  /** Publishes after 20 ms, in which the load is measured; resolves with the time that it waits. */
  async function waitOf(events = 1): Promise<number> {
    clock += 20;
    const began = clock;
    await pace(Array(events).fill(orgId));
    return clock - began;
  }

  it('does not throttle publishers while the dispatcher is busy and keeps up', async () => {
    backlog = 500;
    expect(await waitOf()).to.equal(0);
  });

  it('makes publishers wait until the dispatcher has reduced its backlog to the permitted size', async () => {
    backlog = 600;
    whileWaiting = () => {
      backlog -= 20;
    };
    expect(await waitOf()).to.equal(50);
    expect(await waitOf()).to.equal(0);
  });

  it('throttles no publisher for the backlog of another organisation', async () => {
    ofOthers = 10_000;
    expect(await waitOf()).to.equal(0);
    backlog = 40; // its own deliveries, which wait among those of the others
    expect(await waitOf()).to.equal(0);
  });

  it('throttles each of many organisations that together exceed the permitted size', async () => {
    ofOthers = 400;
    backlog = 150;
    expect(await waitOf()).to.equal(100);
  });

  it('throttles every publisher if many organisations with few deliveries each exceed the permitted size', async () => {
    ofEach = 45;
    expect(await waitOf()).to.equal(100);
  });

  it('throttles a batch if one of its organisations has a backlog', async () => {
    backlog = 600;
    clock += 20;
    const began = clock;
    await pace(['globex', orgId]);
    expect(clock - began).to.equal(100);
  });

  it('makes a publisher wait for at most 100 ms, and a batch for a tenth of that for each of its events', async () => {
    backlog = 10_000;
    expect(await waitOf()).to.equal(100);
    expect(await waitOf(10)).to.equal(100);
    expect(await waitOf(100)).to.equal(1_000);
  });

  it('does not throttle publishers for deliveries that wait for slow listeners', async () => {
    load = 0.5;
    backlog = 10_000;
    expect(await waitOf()).to.equal(0);
    load = 1;
    expect(await waitOf()).to.equal(0);
    backlog = 10_600;
    expect(await waitOf()).to.equal(100);
  });

  it('counts the backlog from its smallest, after slow listeners have got their deliveries', async () => {
    load = 0.5;
    backlog = 10_000;
    await waitOf();
    load = 1;
    backlog = 100;
    expect(await waitOf()).to.equal(0);
    backlog = 700;
    expect(await waitOf()).to.equal(100);
  });

  it('throttles publishers by the load alone where the backlog is not known', async () => {
    const options = {
      now: () => clock,
      wait: async (ms: number) => {
        clock += ms;
      },
    };
    pace = publishingPace({ load: () => load, backlog: undefined }, options);
    expect(await waitOf()).to.equal(100);
    load = 0.9;
    expect(await waitOf()).to.equal(0);
  });

  it('stops throttling as soon as the dispatcher is no longer busy', async () => {
    backlog = 10_000;
    whileWaiting = () => {
      load = 0.5;
    };
    expect(await waitOf()).to.equal(20);
  });

  it('measures the load once for a burst, not for each of its events', async () => {
    let measured = 0;
    const measuring = publishingPace(
      {
        load: () => {
          measured += 1;
          return 0;
        },
        backlog: () => [0],
      },
      { now: () => clock },
    );
    clock += 20;
    for (let event = 0; event < 100; event += 1) await measuring([orgId]);
    expect(measured).to.equal(1);
  });
});

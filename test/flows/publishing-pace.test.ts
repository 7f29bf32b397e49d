import { expect } from 'chai';
import { publishingPace } from '../../src/flows/publishing-pace.js';

describe('the pace of publishing', () => {
  let load: number;
  let backlog: number;
  let clock: number;
  let pace: ReturnType<typeof publishingPace>;
  let whileWaiting: () => void;

  beforeEach(() => {
    load = 1;
    backlog = 0;
    clock = 0;
    whileWaiting = () => undefined;
    const wait = async (ms: number) => {
      clock += ms;
      whileWaiting();
    };
    pace = publishingPace({ load: () => load, backlog: () => backlog }, { now: () => clock, wait });
  });

  /** Publishes after 20 ms, in which the load is measured; resolves with the time that it waits. */
  async function waitOf(events?: number): Promise<number> {
    clock += 20;
    const began = clock;
    await pace(events);
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
        backlog: () => 0,
      },
      { now: () => clock },
    );
    clock += 20;
    for (let event = 0; event < 100; event += 1) await measuring();
    expect(measured).to.equal(1);
  });
});

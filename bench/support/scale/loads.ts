import { setTimeout as pause } from 'node:timers/promises';
import { rateOf } from '../../processes/processes.js';
import { sendPaced } from '../flow-events.js';
import { type Cluster, callers, type Load, organisationsOf, type Processor, publish, subscribe } from './cluster.js';
import { costOfEvent, sumOf } from './model.js';

const oneByOneEvents = 40;
const pulses = { number: 4, events: 1_000, pauseMs: 500 };
const bursts = 5;

type Rate = { perSecond: number; seconds: number };
/** Organisations with one listener, or with two. */
type Kind = 'single' | 'doubled';

export type Loads = ReturnType<typeof loadsOn>;

/** Chooses items in turn. */
export const at = <Item>(items: readonly Item[], number: number): Item => items[number % items.length] as Item;

/** Events for 20 organisations, published to the instances in turns. */
export function loadsOn(cluster: Cluster) {
  const { instances, sink } = cluster;
  const burstEvents = cluster.isStandIn ? 1_000 : 4_000;
  const organisations = { single: organisationsOf(20), doubled: organisationsOf(20) };
  const listeners = { single: 1, doubled: 2 };
  const send = (kind: Kind) => (number: number, id?: string) =>
    publish(at(instances, number), at(organisations[kind], number), id);

  function paced({ perSecond, seconds }: Rate, kind: Kind = 'single'): Promise<Load> {
    const count = perSecond * seconds;
    const load = () => sendPaced({ perSecond, count }, (id, number) => send(kind)(number, id));
    return cluster.during(count, count * listeners[kind], load);
  }

  const burst = () =>
    cluster.during(burstEvents, burstEvents, () => rateOf(callers, burstEvents, (number) => send('single')(number)));

  /** A machine differs from burst to burst. */
  async function medianBurst(): Promise<Load> {
    const loads: Load[] = [];
    for (let number = 0; number < bursts; number += 1) loads.push(await burst());
    const perEvent = ({ processor, events }: Load) => processor.instances / events;
    return at(
      loads.toSorted((one, other) => perEvent(one) - perEvent(other)),
      Math.floor(bursts / 2),
    );
  }

  return {
    organisations: organisations.single,
    paced,
    burst,
    medianBurst,
    async register(): Promise<void> {
      for (const kind of ['single', 'doubled'] as const) {
        for (const orgId of organisations[kind]) {
          for (let number = 0; number < listeners[kind]; number += 1) {
            await subscribe(at(instances, 0), orgId, `${sink.origin}/hook/${orgId}/${number}`);
          }
        }
      }
    },
    /** Publishes events at each instance: the compiler of a new one has seen none, and would be counted instead. */
    async warmUp(eventsEach: number): Promise<void> {
      const events = eventsEach * instances.length;
      await rateOf(callers, events, (number) => send('single')(number));
      await sink.arrivals(events);
    },
    /** Events that share no batch: what one costs at most. */
    oneByOne: () =>
      cluster.during(oneByOneEvents, 0, async () => {
        for (let number = 0; number < oneByOneEvents; number += 1) {
          await send('single')(number);
          await sink.arrivals(1);
        }
      }),
    /** Bursts with pauses: an event's cost, and the number of cores that a burst keeps busy until its last arrival. */
    async pulsed(kind: Kind, rest: Processor) {
      let activeMs = 0;
      const count = pulses.number * pulses.events;
      const load = await cluster.during(count, 0, async () => {
        for (let pulse = 0; pulse < pulses.number; pulse += 1) {
          const began = performance.now();
          await rateOf(callers, pulses.events, (number) => send(kind)(number));
          await sink.arrivals(pulses.events * listeners[kind]);
          activeMs += performance.now() - began;
          await pause(pulses.pauseMs);
        }
      });
      const event = costOfEvent(load, rest);
      return { event, cores: (sumOf(event) * count) / activeMs + sumOf(rest) / 1_000 };
    },
  };
}

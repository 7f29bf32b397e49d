import { setTimeout as pause } from 'node:timers/promises';
import { startModule } from '../../processes/processes.js';
import { watchActivity } from '../process-activity.js';
import type { Asked } from './ceilings.js';
import { eachPart, type Load, writtenOf } from './cluster.js';
import type { Loads } from './loads.js';
import type { Inputs } from './model.js';

/** Twice as many as later instances get: the runs that these inputs predict come after many more. */
const warmUpEvents = 16_000;
const live = { perSecond: 200, seconds: 6 };

/** Measures the cost of one instance, by runs that a prediction may know; `atRest`: a measurement of it. */
export async function measureInputs(
  loads: Loads,
  { atRest, eventStoreDbUrl }: { atRest: () => Promise<Load>; eventStoreDbUrl: string },
): Promise<{ instance: Inputs; asked: Asked }> {
  await loads.warmUp(warmUpEvents);
  const asked = askedBy(await loads.paced(live, 'doubled'));
  const { processor, watchedMs } = await atRest();
  const rest = eachPart((part) => processor[part] / (watchedMs / 1_000));
  const { event, cores } = await loads.pulsed('single', rest);
  const { event: doubled } = await loads.pulsed('doubled', rest);
  const reading = await measureReading(loads, eventStoreDbUrl);
  return { instance: { cores, rest, event, doubled, reading }, asked };
}

function askedBy(load: Load): Asked {
  const per = (kind: RegExp) => writtenOf(load, kind) / load.events;
  const finds = [...load.counts].reduce((sum, [key, { commands }]) => sum + (key.startsWith('find') ? commands : 0), 0);
  return { inserts: per(/^insert/), updates: per(/^update/), finds: finds / load.events };
}

/** Measures a further process that only reads. */
async function measureReading(loads: Loads, eventStoreDbUrl: string): Promise<Inputs['reading']> {
  const without = await loads.paced(live);
  const reader = await startModule('reader', 1, eventStoreDbUrl);
  const events = Number(await reader.ask(2));
  await reader.ask(1); // compiles its code
  const history = watchActivity(reader.pid);
  await reader.ask(1);
  const ofHistory = history().cpuMs / events;
  void reader.ask(0);
  await pause(1_000);
  const asTheyCome = watchActivity(reader.pid);
  const beside = await loads.paced(live);
  const { cpuMs } = asTheyCome();
  await reader.stop();
  return {
    live: cpuMs / beside.events,
    perSecond: live.perSecond,
    history: ofHistory,
    eventStoreDb: Math.max(0, beside.processor.EventStoreDB - without.processor.EventStoreDB) / beside.events,
  };
}

import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { rateOf } from '../processes/processes.js';
import { mediansInTurns } from '../support/in-turns.js';
import { report, reportBound } from '../support/report.js';
import { ceilings } from '../support/scale/ceilings.js';
import {
  callers,
  commandsOf,
  eachPart,
  type Load,
  organisationsOf,
  publish,
  readsOf,
  startCluster,
  statisticsMs,
  subscribe,
  writtenOf,
} from '../support/scale/cluster.js';
import { measureInputs } from '../support/scale/inputs.js';
import { at, loadsOn } from '../support/scale/loads.js';
import { predict } from '../support/scale/model.js';
import { measureMongoDb } from '../support/scale/mongodb-rates.js';
import { arrivalsOf, takeOver } from '../support/scale/takeover.js';

/**
 * One, two and three instances that share a machine with their servers: what a model of measurements of one instance
 * predicts of them, what they do, and what the model says of twenty on machines of their own.
 */
const restSeconds = 15;
const counted = { perSecond: 50, seconds: 10 };
const warmUpEvents = 8_000;
const turns = 9;
const notRemembered = 4_500; // of which the last third is measured: until then the compiler of the instance works

const cluster = await startCluster();
const { instances, sink } = cluster;
const loads = loadsOn(cluster);

const line = (what: string, values: object) =>
  process.stdout.write(`${JSON.stringify({ what, server: cluster.name, ...values })}\n`);
const rounded = (values: Readonly<Record<string, number>>) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Number(value.toPrecision(3))]));

/** Commands and documents of each kind, the most frequent first. */
function showKinds(what: string, { counts, calls }: Load, divisor: number): void {
  const kinds = [...counts].toSorted(([, one], [, other]) => other.commands - one.commands);
  const per = (count: number) => Number((count / divisor).toPrecision(2));
  const shown = kinds.map(([key, { commands, written }]) => [
    key,
    written === 0 ? per(commands) : [per(commands), per(written)],
  ]);
  const eventStoreDb = Object.fromEntries(Object.entries(calls).map(([kind, count]) => [kind, per(count)]));
  line(what, { kinds: Object.fromEntries(shown), eventStoreDb });
}

async function measureRest(who: string, commandsAtMost: number): Promise<Load> {
  const rest = await cluster.during(1, 0, () => pause(restSeconds * 1_000));
  const seconds = (rest.watchedMs + statisticsMs) / 1_000;
  const each = cluster.instances.length;
  showKinds(`a second at rest, ${who}`, rest, seconds * each);
  const bound = (what: string, ours: number, unit: string, atMost: number) =>
    reportBound({ figure: `${what} at rest, ${who}`, ours: ours / each, unit, target: { atMost } });
  bound('share of a core', (rest.processor.instances / rest.watchedMs) * 100, '%', 1);
  bound('MongoDB commands', commandsOf(rest) / seconds, '/s', commandsAtMost);
  bound('reads of EventStoreDB', readsOf(rest) / seconds, '/s', 1);
  return rest;
}

/** Medians of bursts to the three instances, and in turns to a single one with other servers: rates differ more between two measurements. */
async function measureInTurns(): Promise<{ ours: number; peer: number }> {
  const other = await startCluster();
  await other.start();
  const single = loadsOn(other);
  await single.register();
  await other.settled();
  await single.warmUp(2 * warmUpEvents);
  const msOf = (of: typeof loads) => async () => {
    const { processor, events } = await of.burst();
    return processor.instances / events;
  };
  const medians = await mediansInTurns({ rounds: turns }, { ours: msOf(loads), peer: msOf(single) });
  await other.stop();
  return medians;
}

async function measureNotRemembered(): Promise<number> {
  for (const instance of [...cluster.instances]) await instance.stop();
  const others = organisationsOf(notRemembered);
  const registering = await cluster.start();
  await rateOf(callers, notRemembered, (number) =>
    subscribe(registering, at(others, number), `${sink.origin}/hook/${at(others, number)}`),
  );
  await registering.stop();
  const publishing = await cluster.start({ ROLES: 'api' });
  const ids = others.map(() => randomUUID());
  await rateOf(callers, notRemembered, (number) => publish(publishing, at(others, number), at(ids, number)));
  const slow = await cluster.start({}, 2);
  const arrivals = [...(await arrivalsOf(cluster, ids)).values()].toSorted((one, other) => one - other);
  const measured = arrivals.slice((notRemembered * 2) / 3);
  await publishing.stop();
  await slow.stop();
  return ((measured.length - 1) / (at(measured, measured.length - 1) - at(measured, 0))) * 1_000;
}

function reportPrediction(what: string, unit: string, predicted: number, measured: number): void {
  const error = Math.abs(measured / predicted - 1);
  line(`predicted and measured ${what}`, { ...rounded({ predicted, measured, error }), unit, met: error < 0.2 });
}

await cluster.start();
await loads.register();
await cluster.settled();
const { instance, asked } = await measureInputs(loads, {
  atRest: () => measureRest('one instance', 10),
  eventStoreDbUrl: cluster.eventStoreDbUrl,
});
line('inputs of the model', { instance, asked });
const predictions = [1, 2, 3].map((count) => predict(instance, count));
line('predicted for one, two and three instances', { predictions: predictions.map(rounded) });

let ofThird = Number.NaN;
for (const [index, predicted] of predictions.entries()) {
  const count = index + 1;
  if (count > 1) {
    await cluster.start();
    await cluster.settled();
    await loads.warmUp(warmUpEvents);
  }
  const who = `${count} instance(s)`;
  if (count === 3) await measureRest(who, 7);
  const single = await loads.oneByOne();
  showKinds(`an event, ${who}, one after another`, single, single.events);
  const steady = await loads.paced(counted);
  showKinds(`an event, ${who}, ${counted.perSecond} a second`, steady, steady.events);
  const bound = (what: string, ours: number, atMost: number) =>
    reportBound({
      figure: `${what}, ${who}, ${counted.perSecond} events a second`,
      ours: ours / steady.events,
      unit: '',
      target: { atMost },
    });
  bound('MongoDB commands an event', commandsOf(steady), 6);
  bound('documents a delivery', writtenOf(steady, /queue\.(deliveries|listeners|days|halfHours)$/), 3);
  bound('reads of EventStoreDB an event', readsOf(steady), 0.2);
  const most = await loads.medianBurst();
  showKinds(`an event, ${who}, ${callers} callers`, most, most.events);
  const ms = eachPart((part) => most.processor[part] / most.events);
  line(`processor ms an event, ${who}, ${callers} callers`, {
    ...rounded(ms),
    ...rounded({ eventsPerSecond: most.events / most.seconds, others: most.othersMs / most.watchedMs }),
  });
  if (count === 1) {
    const third = await loads.paced({ perSecond: Math.round(most.events / most.seconds / 3), seconds: 10 });
    ofThird = third.processor.instances / third.events;
  }
  reportPrediction(`events a second, ${who}`, 'events/s', predicted.eventsPerSecond, most.events / most.seconds);
  reportPrediction(`processor of the instances, ${who}`, 'ms an event', predicted.instanceMs, ms.instances);
}
const inTurns = await measureInTurns();
for (const [against, peer] of [
  [`one, in ${turns} bursts in turns`, inTurns.peer],
  ['one with a third of the events, as each of the three has', ofThird],
] as const) {
  report({
    figure: `processor time of the instances an event, three instances against ${against}`,
    ours: inTurns.ours,
    peer,
    unit: 'ms',
    target: { atMost: 1.3 },
    server: cluster.name,
  });
}

for (const signal of ['SIGKILL', 'SIGSTOP'] as const) {
  const victim = at(instances, 0);
  const ms = await takeOver(cluster, victim, { signal, organisations: loads.organisations });
  const bound = (what: string, ours: number) =>
    reportBound({ figure: `until ${what} after ${signal}`, ours: ours / 1_000, unit: 's', target: { atMost: 5 } });
  bound('the deliveries of an instance continue', ms.before);
  bound('its organisations are served', ms.after);
  await victim.kill();
  await cluster.start();
  await cluster.settled();
}
const fanOut = await measureNotRemembered();
line('fan-out of organisations that are not remembered, 4 ms a read', {
  ...rounded({ fanOut }),
  unit: 'events/s',
  target: { atLeast: 290 },
  met: fanOut >= 290,
});
const mongoDb = await measureMongoDb(cluster.database);
for (const { part, formula, inputs, share } of ceilings({ instance, mongoDb, asked, fanOut })) {
  line(`share of the ceiling, 20 instances, 5,000 events a second to 10,000 deliveries: ${part}`, {
    formula,
    inputs: rounded(inputs),
    ...rounded({ share }),
    met: share <= 0.6,
  });
}
await cluster.stop();

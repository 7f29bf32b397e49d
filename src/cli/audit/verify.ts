import { setTimeout as pause } from 'node:timers/promises';
import { projections } from '../../../projections/index.js';
import { showVerificationRoute, startVerificationRoute } from '../../admin/api/contracts/projections.js';
import { countDifferences, type ViewDifference } from '../../admin/audit/verify-views.js';
import { ViewsDiffer } from '../../admin/errors.js';
import { DomainError } from '../../kernel/domain-error.js';
import { withScratchUntilSignal } from '../../service/stores/scratch-read-model.js';
import type { RebuildProgress } from '../../stores/read-model/rebuilds.js';
import type { CommandContext } from '../context.js';
import { counted, printResult } from '../output.js';
import { progressOf } from '../progress.js';

/** The verification ended without a result. */
class NotVerified extends DomainError {
  readonly code = 'not_verified';
}

const names = projections.map(({ name }) => name);

export async function verify(_: object, context: CommandContext): Promise<void> {
  const { output } = context;
  const progress = progressOf(output);
  const onDifference = (difference: ViewDifference) => {
    progress.end();
    printResult(output, difference, lineOf(difference));
  };
  const verifying = context.remote ? verifyThere : verifyHere;
  const { differences, skipped } = await verifying(context, progress.report, onDifference).finally(progress.end);
  if (differences > 0) throw new ViewsDiffer(`the views differ from the events: differences ${differences}`);
  const butFor = skipped === 0 ? '' : `, except for skipped events ${skipped}`;
  const text = `${counted(names.length, 'view matches', 'views match')} the events${butFor}: ${names.join(', ')}`;
  printResult(output, { views: names, differences, skipped }, text);
}

type Verifying = (
  context: CommandContext,
  report: (phase: string, done: number, total: number) => void,
  onDifference: (difference: ViewDifference) => void,
) => Promise<{ differences: number; skipped: number }>;

const verifyHere: Verifying = async ({ local }, report, onDifference) =>
  local().withStores((stores) =>
    withScratchUntilSignal(async (scratch) => {
      const sources = { store: await stores.events(), readModel: await stores.readModel(), scratch };
      const found = { differences: 0, skipped: 0 };
      for (const projection of projections) {
        const onProgress = ({ phase, position, head }: RebuildProgress) =>
          report(`${phase} ${projection.name}`, Math.max(0, Number(position)), Math.max(0, Number(head)));
        const { differences, skipped } = await countDifferences({ ...sources, projection, onProgress }, onDifference);
        found.differences += differences;
        found.skipped += skipped;
      }
      return found;
    }),
  );

const lookEveryMs = 500;
/** Maximum number of requests: of several instances, the one that verified may answer seldom. */
const maxLooks = 50;

const verifyThere: Verifying = async ({ call }, report, onDifference) => {
  const found = { differences: 0, skipped: 0 };
  for (const name of names) {
    const before = (await call(showVerificationRoute, { name })).last?.startedAt;
    let { running, last } = await call(startVerificationRoute, { name });
    for (let looks = 0; running || last === null || last.startedAt === before; looks += running ? 0 : 1) {
      if (looks === maxLooks) throw new NotVerified(`the service does not say what the verification of ${name} found`);
      if (running) report(`${running.phase} ${name}`, Number(running.done), Number(running.total));
      await pause(lookEveryMs);
      ({ running, last } = await call(showVerificationRoute, { name }));
    }
    if (last.outcome !== 'matches' && last.outcome !== 'differs')
      throw new NotVerified(`the verification of ${name} ${last.outcome}: ${last.failure ?? 'it has no result'}`);
    found.differences += last.differences;
    found.skipped += last.skipped;
    last.first.forEach(onDifference);
  }
  return found;
};

/** `listeners: different KEY: state is "paused", the events say "active"` */
function lineOf({ view, kind, key, fields, message }: ViewDifference): string {
  if (key === null) return `${view}: ${kind}: ${message}`;
  const details = Object.entries(fields).map(
    ([name, { expected, actual }]) =>
      `${name} is ${JSON.stringify(actual)}, the events say ${JSON.stringify(expected)}`,
  );
  return `${view}: ${kind} ${key}${kind === 'different' ? `: ${details.join('; ')}` : ''}`;
}

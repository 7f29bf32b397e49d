import type { IntegrationTask } from '../../listeners/integration-tasks/integration-task.js';
import { type Output, printResult } from '../output.js';

/** Prints a task. `orgId` null: the service-wide default was asked for. `changed`: the types of the events of a change. */
export function printTask(
  output: Output,
  task: IntegrationTask,
  { orgId, changed }: { readonly orgId: string | null; readonly changed: readonly string[] },
): void {
  const whose = orgId === null ? 'the default task' : `the task of ${orgId}`;
  const inherited = task.state !== 'missing' && orgId !== null && task.orgId === null ? ' (the default one)' : '';
  const what = task.state === 'missing' ? 'is not registered' : `is ${task.state}${inherited}`;
  printResult(output, { ...task, changed }, `${whose} ${what}`);
}

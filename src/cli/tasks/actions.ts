import {
  activateTaskRoute,
  deactivateTaskRoute,
  registerTaskRoute,
  showTaskRoute,
} from '../../admin/api/contracts/tasks.js';
import type { RouteAnswer } from '../../http/route-contract.js';
import type { CommandContext } from '../context.js';
import { type Output, printResult } from '../output.js';

type Options = { org?: string };

export async function register(options: Options, { output, call }: CommandContext): Promise<void> {
  printTask(output, await call(registerTaskRoute, options), options);
}

export async function activate(options: Options, { output, call }: CommandContext): Promise<void> {
  printTask(output, await call(activateTaskRoute, options), options);
}

export async function deactivate(options: Options, { output, call }: CommandContext): Promise<void> {
  printTask(output, await call(deactivateTaskRoute, options), options);
}

export async function show(options: Options, { output, call }: CommandContext): Promise<void> {
  printTask(output, await call(showTaskRoute, options), options);
}

/** Prints a task; without `org` the service-wide default was requested. */
function printTask(output: Output, task: RouteAnswer<typeof showTaskRoute>, { org }: Options): void {
  const whose = org === undefined ? 'the default task' : `the task of ${org}`;
  const inherited = task.state !== 'missing' && org !== undefined && task.orgId === null ? ' (the default one)' : '';
  const what = task.state === 'missing' ? 'is not registered' : `is ${task.state}${inherited}`;
  printResult(output, { changed: [], ...task }, `${whose} ${what}`);
}

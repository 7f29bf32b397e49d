import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { checked, type NameOfPath } from '../../checked.js';
import { maxEventBytes } from '../../config.js';
import { InvalidRequest } from '../../domain-error.js';
import { publishRequest } from '../../flows/contract.js';
import { warningOfSize } from '../../flows/large-events.js';
import { publishFlowEvent } from '../../flows/publish-flow-event.js';
import { SettingsReader } from '../../settings.js';
import { contextOf } from '../command-context.js';
import { organisationOption } from '../options.js';
import { printResult, printWarning } from '../output.js';
import { addExplainCommand } from './explain.js';

type Options = {
  readonly org: string;
  readonly type: string;
  readonly data: string;
  readonly id?: string;
  readonly flowId?: string;
  readonly occurredAt?: string;
};

/** `flows publish` does what `POST /api/flows` does; `flows explain` says what became of it at each hook. */
export function flowCommands(): Command {
  const flows = new Command('flows').description('flow events');
  flows
    .command('publish')
    .description('publishes a flow event, as POST /api/flows does')
    .addOption(organisationOption('the organisation in which it happened').makeOptionMandatory())
    .requiredOption('--type <type>', 'the type, such as flow.completed')
    .option('--data <json>', 'what happened, as JSON; - reads it from standard input', '{}')
    .option('--id <id>', 'published again with the same id, an event is taken once')
    .option('--flow-id <id>', 'the flow that it belongs to')
    .option('--occurred-at <time>', 'ISO 8601 with its offset; without it, now')
    .action(async ({ org, ...options }: Options, command: Command) => {
      const context = contextOf(command);
      const maxBytes = configuredMaxBytes();
      const request = checked(publishRequest, { ...options, orgId: org, data: parseData(options.data) }, optionNamed);
      const { id, bytes } = await context.withStores((stores) =>
        publishFlowEvent(stores.events(), request, { orgId: org, cause: context.cause, now: new Date(), maxBytes }),
      );
      printResult(context.output, { id }, `published ${id}`);
      const warning = warningOfSize(bytes);
      if (warning !== undefined) printWarning(`${warning} (${request.type}: ${bytes} bytes)`);
    });
  addExplainCommand(flows);
  return flows;
}

/** The same limit as the service's, from the same setting. Throws `InvalidSetting`. */
function configuredMaxBytes(): number {
  const settings = new SettingsReader(process.env);
  const maxBytes = maxEventBytes(settings);
  for (const problem of settings.problems) throw problem;
  return maxBytes;
}

function parseData(text: string): unknown {
  try {
    return JSON.parse(text === '-' ? readFileSync(0, 'utf8') : text);
  } catch {
    throw new InvalidRequest('--data is not JSON');
  }
}

const optionNamed: NameOfPath = ([field]) => `--${optionNames[String(field)] ?? String(field)}`;

/** Where they differ from the fields of the request. */
const optionNames: Readonly<Record<string, string>> = { orgId: 'org', flowId: 'flow-id', occurredAt: 'occurred-at' };

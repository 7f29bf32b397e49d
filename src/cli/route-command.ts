import { Argument, Command } from 'commander';
import { z } from 'zod';
import type { AnyAdminRoute } from '../admin/api/routing/admin-route.js';
import { describedField } from '../http/described-field.js';
import type { RouteAnswer } from '../http/route-contract.js';
import { action, running } from './action.js';
import type { CommandContext, ItemOf } from './context.js';
import { optionsOf, parsedValue } from './fields.js';
import { wholeNumber } from './options.js';
import { type Columns, type Output, printFields, printResult, printRows } from './output.js';
import { attributeOf, optionNameOf } from './parse-options.js';

/** Fields of a request and flags, by name, as they were given. */
export type Given = Readonly<Record<string, unknown>>;

type FieldsOf<Route extends AnyAdminRoute> =
  | keyof Route['params']['shape']
  | keyof Route['query']['shape']
  | (NonNullable<Route['body']> extends z.ZodObject ? keyof NonNullable<Route['body']>['shape'] : never);

type RowOf<Route extends AnyAdminRoute> = [ItemOf<Route>] extends [never] ? RouteAnswer<Route> : ItemOf<Route>;

/** A command that calls one route, and prints its answer: a table of its fields without another presentation. */
type RouteCommand<Route extends AnyAdminRoute> = {
  about: string;
  /** Names of the fields that are arguments, as those of the path are. */
  args?: { readonly [Name in FieldsOf<Route>]?: string };
  /** Texts of arguments and options, instead of those of the contract; null: the field cannot be given. */
  texts?: { readonly [Name in FieldsOf<Route>]?: string | null };
  defaults?: { readonly [Name in FieldsOf<Route>]?: string };
  /** Options that are no fields, with their texts; `send` reads them. */
  flags?: Readonly<Record<string, string>>;
  /** Fields to send. Throws `UsageError`. */
  send?: (given: Given) => Given;
  /** Number of rows without `--limit`; undefined: all rows are printed, and there is no such option. */
  limit?: number;
  /** A table of the items of a list, or of the answer as its only row. */
  columns?: Columns<RowOf<Route>>;
  /** Printed in place of a table without rows. */
  none?: string | ((given: Given) => string);
  /** A sentence about the answer. */
  says?: (answer: RouteAnswer<Route>, given: Given) => string;
  prints?: (answer: RouteAnswer<Route>, output: Output) => void;
  /** Action of a command that does more than call the route. */
  runs?: (given: Given, context: CommandContext) => Promise<void>;
};

export type Subject = ReturnType<typeof subject>;

/** Fields of pages, which commands read one after the other. */
const paging: ReadonlySet<string> = new Set(['after', 'limit', 'order', 'first', 'counted']);

function routeCommand<const Route extends AnyAdminRoute>(
  name: string,
  route: Route,
  declared: RouteCommand<Route>,
): Command {
  const { about, args = {}, texts = {}, defaults = {}, flags = {}, limit } = declared as RouteCommand<AnyAdminRoute>;
  const fields = fieldsOf(route);
  const positional = Object.keys({ ...route.params.shape, ...args });
  const optional = Object.keys(fields).filter(
    (each) => !positional.includes(each) && !paging.has(each) && texts[each] !== null,
  );
  const described = (each: string) => describedField(fields[each] as z.ZodType, texts[each]);
  const command = new Command(name).description(about);
  for (const each of positional) {
    const { isOptional, text } = described(each);
    const shown = args[each] ?? each.replace(/Id$/, '');
    command.addArgument(new Argument(isOptional ? `[${shown}]` : `<${shown}>`, text));
  }
  for (const each of optional)
    for (const option of optionsOf(optionNameOf(each), described(each), defaults[each])) command.addOption(option);
  for (const [flag, text] of Object.entries(flags)) command.option(flag, text);
  if (limit !== undefined) command.option('--limit <number>', 'maximum number of rows', `${limit}`);

  const value = (each: string, text: unknown) =>
    text === undefined ? [] : [[each, parsedValue(optionNameOf(each), described(each), text)] as const];
  return command.action(
    running(async (...parts: readonly unknown[]) => {
      const context = parts.at(-1) as CommandContext; // as `running` says
      const options = parts.at(-2) as Given;
      const flagged = Object.entries(options).filter(
        ([each]) => !optional.some((field) => attributeOf(field) === each),
      );
      const given = Object.fromEntries([
        ...flagged,
        ...positional.flatMap((each, index) => value(each, parts[index])),
        ...optional.flatMap((each) => value(each, options[attributeOf(each)])),
      ]);
      const { runs = (each, of) => print(route, declared as RouteCommand<AnyAdminRoute>, each, of) } = declared;
      await runs(given, context);
    }),
  );
}

const fieldsOf = ({ params, query, body }: AnyAdminRoute): Readonly<Record<string, unknown>> => ({
  ...params.shape,
  ...query.shape,
  ...(body instanceof z.ZodObject && body.shape),
});

const maxRows = 10_000;

async function print(
  route: AnyAdminRoute,
  { send = (given) => given, columns, none = '', says, prints }: RouteCommand<AnyAdminRoute>,
  given: Given,
  { output, call, allOf }: CommandContext,
): Promise<void> {
  const max = given.limit === undefined ? undefined : wholeNumber('--limit', String(given.limit), 1, maxRows);
  const sent = send(given);
  if (columns) {
    const isList = route.answer.schema instanceof z.ZodObject && 'items' in route.answer.schema.shape;
    const rows = isList ? await allOf(route, sent, max) : [await call(route, sent)];
    printRows(output, rows as readonly object[], columns, typeof none === 'string' ? none : none(given));
    return;
  }
  const answer = (await call(route, sent)) as object; // of every route
  if (prints) prints(answer as never, output);
  else if (says) printResult(output, answer, says(answer as never, given));
  else printFields(output, answer);
}

/** A subject of the command line, to which its commands are added. */
export function subject(commands: Command) {
  const add = <const Route extends AnyAdminRoute>(name: string, route: Route, declared: RouteCommand<Route>): void => {
    commands.addCommand(routeCommand(name, route, declared));
  };
  const addByHand = <Name extends string>(
    name: string,
    about: string,
    load: Parameters<typeof action<Name>>[0],
    run: Name,
  ): Command => commands.command(name).description(about).action(action(load, run));
  return { add, addByHand };
}

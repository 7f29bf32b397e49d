import { Command } from 'commander';
import { closingAll } from '../kernel/closing.js';

type Actions<Name extends string> = Readonly<Record<Name, (...args: never[]) => Promise<void>>>;

/** `rotate-secret` as `rotateSecret`. */
type CamelCase<Name extends string> = Name extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name;

/**
 * An action of a module that is loaded when its command runs, so that help and other commands do not load it. The action gets
 * the arguments, the options and the context of the command.
 */
export const action =
  <Name extends string>(load: () => Promise<Actions<Name>>, name: Name) =>
  async (...args: unknown[]): Promise<void> => {
    const command = args.pop() as Command; // Commander's last argument
    const run = (await load())[name] as (...args: unknown[]) => Promise<void>;
    const { contextOf } = await import('./context.js');
    await closingAll(async (onClose) => run(...args, contextOf(command, onClose)));
  };

/** A subject of the command line. `add` declares a command; the function of the same name is its action. */
export function subject(subjectName: string, subjectDescription: string) {
  const commands = new Command(subjectName).description(subjectDescription);
  const add = <Name extends string, Action extends string = CamelCase<Name>>(
    load: () => Promise<Actions<NoInfer<Action>>>,
    name: Name,
    description: string,
    run = name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase()) as Action, // as `CamelCase` does
  ): Command => commands.command(name).description(description).action(action(load, run));
  return { commands, add };
}

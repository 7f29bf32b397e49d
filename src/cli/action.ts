import type { Command } from 'commander';

type Actions<Name extends string> = Readonly<Record<Name, (...args: never[]) => Promise<void>>>;

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
    await run(...args, contextOf(command));
  };

import type { Command } from 'commander';
import { closingAll } from '../kernel/closing.js';

type Run = (...args: never[]) => Promise<void>;

/** Runs an action with the arguments, the options and the context of its command. */
export const running =
  (run: Run) =>
  async (...args: unknown[]): Promise<void> => {
    const command = args.pop() as Command; // Commander's last argument
    const { contextOf } = await import('./context.js');
    await closingAll(async (onClose) =>
      (run as (...args: unknown[]) => Promise<void>)(...args, contextOf(command, onClose)),
    );
  };

/** An action of a module that is loaded when its command runs, so that help and other commands do not load it. */
export const action = <Name extends string>(load: () => Promise<Readonly<Record<Name, Run>>>, name: Name) =>
  running(async (...args) => (await load())[name](...args));

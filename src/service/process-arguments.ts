/** The settings of the service are in its environment, so that it takes no arguments: a misspelt command must not start it. */
const help = `Usage: node dist/src/main.js

Starts the service. It takes no arguments: its settings are environment variables, which
docs/settings.md lists. All other tasks are commands of flow-hooks: flow-hooks --help
`;

export type ProcessAnswer = { exitCode: 0 | 2; stdout: string; stderr: string };

/** Undefined: start the service. */
export function answerArguments(args: readonly string[]): ProcessAnswer | undefined {
  const [first] = args;
  if (first === undefined) return undefined;
  const unknown = args.find((each) => !['--help', '-h'].includes(each));
  if (unknown === undefined) return { exitCode: 0, stdout: help, stderr: '' };
  return { exitCode: 2, stdout: '', stderr: `flow-hooks: unknown argument '${unknown}'\n\n${help}` };
}

/** Says of each invalid setting, in one line, what would be valid. The lines never contain a secret. */
export class InvalidConfiguration extends Error {
  readonly problems: readonly { setting: string; message: string }[];

  /** `problems`: by the name of the setting. */
  constructor(problems: ReadonlyMap<string, string>) {
    const each = [...problems].map(([setting, problem]) => ({ setting, message: `${setting} ${problem}` }));
    super(each.map(({ message }) => message).join('\n'));
    this.name = 'InvalidConfiguration';
    this.problems = each;
  }
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Text of a setting; undefined for an empty value. */
export function settingText(environment: Environment, name: string): string | undefined {
  const text = environment[name]?.trim();
  return text === '' ? undefined : text;
}

export const dataDirectoryGiven = (environment: Environment): string => settingText(environment, 'DATA_DIR') ?? 'data';

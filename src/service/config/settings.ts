/** The message says what would be valid, and never contains a secret. */
export class InvalidSetting extends Error {
  constructor(
    readonly setting: string,
    readonly problem: string,
  ) {
    super(`${setting} ${problem}`);
    this.name = 'InvalidSetting';
  }
}

/** Reports an invalid setting. */
export type Reject = (setting: string, problem: string) => void;

export type Environment = Readonly<Record<string, string | undefined>>;

/** Text of a setting; undefined for an empty value. */
export function settingText(environment: Environment, name: string): string | undefined {
  const text = environment[name]?.trim();
  return text === '' ? undefined : text;
}

export const dataDirectoryGiven = (environment: Environment): string => settingText(environment, 'DATA_DIR') ?? 'data';

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `90d`, `1h`, `15m`, `120s`, `500ms`; a number alone is seconds. NaN if the text is no duration. */
export function durationMs(text: string): number {
  const [, number, unit = 's'] = /^(\d+)\s*(ms|s|m|h|d)?$/.exec(text) ?? [];
  return Number(number) * (units[unit] ?? Number.NaN);
}

/** 3,600,000 → `1h`. */
export function inLargestUnit(ms: number): string {
  const [unit, factor] = Object.entries(units).findLast(([, each]) => ms >= each && ms % each === 0) ?? ['s', 1];
  return `${ms / factor}${unit}`;
}

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

export type Environment = Readonly<Record<string, string | undefined>>;

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `90d`, `1h`, `15m`, `120s`, `500ms`; a number alone is seconds. NaN if the text is no duration. */
export function durationMs(text: string): number {
  const [, number, unit = 's'] = /^(\d+)\s*(ms|s|m|h|d)?$/.exec(text) ?? [];
  return Number(number) * (units[unit] ?? Number.NaN);
}

/** All in milliseconds. */
type DurationBounds = { min: number; max: number; otherwise: number };

/** Collects all problems, so that one start shows all of them. An empty value counts as not set. */
export class SettingsReader {
  readonly problems: InvalidSetting[] = [];
  /** Names of all settings that were read. */
  readonly names = new Set<string>();

  constructor(private readonly environment: Environment) {}

  text(name: string): string | undefined {
    this.names.add(name);
    const value = this.environment[name]?.trim();
    return value === '' ? undefined : value;
  }

  /** Returns `otherwise` if the setting is not set. Collects the error of `parse`. */
  read<Value, Otherwise>(name: string, parse: (text: string) => Value, otherwise: Otherwise): Value | Otherwise {
    const text = this.text(name);
    if (text === undefined) return otherwise;
    try {
      return parse(text);
    } catch (error) {
      this.reject(name, error instanceof Error ? error.message : String(error));
      return otherwise;
    }
  }

  reject(name: string, problem: string): void {
    this.problems.push(new InvalidSetting(name, problem));
  }

  choice<const Choice extends string>(name: string, choices: readonly Choice[], otherwise: Choice): Choice {
    const parse = (text: string): Choice => {
      const chosen = choices.find((choice) => choice === text);
      if (chosen === undefined) throw new Error(`must be ${choices.join(' or ')}, but is '${text}'`);
      return chosen;
    };
    return this.read(name, parse, otherwise);
  }

  integer(name: string, { otherwise, ...bounds }: { min: number; max: number; otherwise: number }): number {
    return this.read(name, (text) => integerWithin(text, bounds), otherwise);
  }

  optionalInteger(name: string, bounds: { min: number; max: number }): number | undefined {
    return this.read(name, (text) => integerWithin(text, bounds), undefined);
  }

  /** Milliseconds: see `durationMs`. */
  duration(name: string, { otherwise, ...bounds }: DurationBounds): number {
    return this.read(name, (text) => durationWithin(text, bounds, otherwise), otherwise);
  }

  optionalDuration(name: string, bounds: Omit<DurationBounds, 'otherwise'>): number | undefined {
    return this.read(name, (text) => durationWithin(text, bounds, bounds.max), undefined);
  }

  list(name: string): readonly string[] {
    const parts = this.text(name)?.split(',') ?? [];
    return parts.map((part) => part.trim()).filter((part) => part !== '');
  }
}

function integerWithin(text: string, { min, max }: { min: number; max: number }): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < min || number > max) {
    throw new Error(`must be a whole number from ${min} to ${max}, but is '${text}'`);
  }
  return number;
}

/** Throws if it is no duration, or out of bounds; the message has an example. */
function durationWithin(text: string, { min, max }: Omit<DurationBounds, 'otherwise'>, example: number): number {
  const ms = durationMs(text);
  if (ms >= min && ms <= max) return ms;
  const [least, most, such] = [min, max, example].map(inLargestUnit);
  throw new Error(`must be a duration from ${least} to ${most}, such as ${such}, but is '${text}'`);
}

/** 3,600,000 → `1h`. */
function inLargestUnit(ms: number): string {
  const [unit, factor] = Object.entries(units).findLast(([, each]) => ms >= each && ms % each === 0) ?? ['s', 1];
  return `${ms / factor}${unit}`;
}

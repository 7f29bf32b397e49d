import { readFileSync } from 'node:fs';

type Instruction = { name: string; words: string };

/** One stage of the Dockerfile: the image that it starts from, and its instructions in order. */
export type Stage = { base: string; instructions: readonly Instruction[] };

/** The stages of the project's Dockerfile. */
export function dockerfileStages(): readonly Stage[] {
  const text = readFileSync(new URL('../../../../Dockerfile', import.meta.url), 'utf8');
  const lines = text
    .replace(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n');
  const stages: { base: string; instructions: Instruction[] }[] = [];
  for (const line of lines) {
    const [, name, words = ''] = /^([A-Z]+) (.*)$/.exec(line) ?? [];
    if (name === 'FROM') stages.push({ base: words.split(' ')[0] ?? '', instructions: [] });
    else if (name !== undefined) stages.at(-1)?.instructions.push({ name, words });
  }
  return stages;
}

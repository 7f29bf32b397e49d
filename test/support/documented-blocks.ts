import { readFileSync } from 'node:fs';

const project = new URL('../../../', import.meta.url);

/** The blocks of a document, such as `docs/publish.md`, that a test runs, in this language. Throws if there is none. */
export function documentedBlocks(document: string, language: string): readonly string[] {
  const markdown = readFileSync(new URL(document, project), 'utf8');
  const pattern = new RegExp(`<!-- A test runs this block\\. -->\\n\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms');
  const blocks = [...markdown.matchAll(pattern)].map(([, block = '']) => block);
  if (blocks.length === 0) throw new Error(`${document} has no ${language} block that a test runs`);
  return blocks;
}

import { expect } from 'chai';
import { discoveryMemory } from '../../../src/access/providers/provider-discovery.js';
import { rejection } from '../../support/rejection.js';

const url = 'https://id.example/.well-known/openid-configuration';
const options = { body: undefined, headers: {}, method: 'GET', redirect: 'manual' as const };

describe('the memory of a provider’s metadata', () => {
  let ms = 0;
  let fetched: string[] = [];
  const open = (status = 200) =>
    discoveryMemory(
      async (asked) => {
        fetched.push(asked);
        return new Response(`answer ${fetched.length}`, { status });
      },
      () => ms,
    );
  const textOf = async (memory: ReturnType<typeof open>, asked = url) => (await memory.fetch(asked, options)).text();
  beforeEach(() => {
    fetched = [];
  });

  it('answers for five minutes, once the metadata was accepted', async () => {
    const memory = open();
    expect([await textOf(memory), await textOf(memory)]).to.deep.equal(['answer 1', 'answer 2']);
    memory.keep();
    ms += 5 * 60_000 - 1;
    expect(await textOf(memory)).to.equal('answer 2');
    ms += 1;
    expect(await textOf(memory)).to.equal('answer 3');
  });

  it('is lost after a failure of the provider', async () => {
    const memory = open();
    await textOf(memory);
    memory.keep();
    memory.forget();
    memory.keep();
    expect(await textOf(memory)).to.equal('answer 2');
  });

  it('keeps neither errors nor anything else than metadata', async () => {
    const failing = open(503);
    await textOf(failing);
    failing.keep();
    expect((await failing.fetch(url, options)).status).to.equal(503);
    const memory = open();
    for (let count = 0; count < 2; count += 1) {
      await textOf(memory, 'https://id.example/jwks');
      memory.keep();
    }
    expect(fetched.filter((each) => each.endsWith('/jwks'))).to.have.length(2);
  });

  it('makes any failure to get an answer one of the network', async () => {
    const memory = discoveryMemory(() => Promise.reject(new Error('the answer is too large')));
    const error = await rejection(memory.fetch(url, options));
    expect(error).to.be.instanceOf(TypeError).and.to.have.nested.property('cause.message', 'the answer is too large');
  });
});

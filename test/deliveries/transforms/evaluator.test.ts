import { expect } from 'chai';
import fc from 'fast-check';
import { evaluator } from '../../../src/deliveries/transforms/evaluator.js';

const evaluate = evaluator({ timeMs: 10_000, bytes: 100_000, depth: 20 });
const evaluated = (expression: string, data: unknown) => evaluate(expression, JSON.stringify({ id: 'e1', data }));

describe('the result of a transformation', () => {
  it('has no functions: they are a reason', () => {
    for (const expression of [
      '$sum',
      'function($x) { $x }',
      '{"n": $sum}',
      '{"n": function($x) { $x }}',
      '{"n": {"deep": [1, $uppercase(?)]}}',
      '$substring(?, 0, 5)',
      '{"n": /a/}',
      '[$sum, $sum]',
    ]) {
      expect(evaluated(expression, {}), expression).to.deep.equal({ reason: 'its result has a function' });
    }
  });

  it('has no numbers that are not finite: they are a reason', () => {
    for (const expression of ['1/0', '{"n": -1/0}', '[1, 0/0]', '{"n": {"m": 5 % 0}}', '1/data.none', '$sqrt(4)/0']) {
      const reason = 'its result has a number that is not finite';
      expect(evaluated(expression, { none: 0 }), expression).to.deep.equal({ reason });
    }
    expect(evaluated('1/0 > 5 ? "many" : "few"', {})).to.deep.equal({ body: '"many"' });
  });

  it('does not depend on the names of keys in the data', () => {
    const plain = ['x', 'y', 'z'];
    const special = ['_jsonata_lambda', '_jsonata_function', 'outerWrapper', 'tupleStream', 'sequence', 'cons'];
    const others = ['keepSingleton', 'then', 'toJSON', 'next', 'thunk', 'implementation', 'length', 'constructor', '@'];
    const value = fc.letrec((tie) => ({
      any: fc.oneof({ maxDepth: 3 }, fc.constantFrom(true, false, null, 1, 'a'), tie('object'), fc.array(tie('any'))),
      object: fc.dictionary(fc.constantFrom(...plain), tie('any'), { minKeys: 1 }),
    }));
    const expressions = [
      ...['$', 'data', 'data.%x', 'data.*', 'data.{"a": $}', 'data.%x.{"a": $, "b": %y}', '{"a": data, "b": [data]}'],
      ...[
        'data[%x=true]',
        'data.%x[0]',
        'data^(%x)',
        'data{"k": $}',
        '$keys(data)',
        '$string(data)',
        'data ~> |$|{"q": 1}|',
      ],
      ...['$map(data, function($v) { $v })', '$merge([data, {"q": 1}])', '$exists(data.%x)', '$type(data)', '**.%y'],
      ...['data@$d.{"a": $d}', '($v := data; $v.%x)', '$each(data, function($v, $k) { {"k": $k, "v": $v} })'],
    ];
    fc.assert(
      fc.property(
        value.object,
        fc.constantFrom(...expressions),
        fc.shuffledSubarray([...special, ...others], { minLength: 3, maxLength: 3 }),
        (data, expression, names) => {
          const withNames = (text: string, name: (index: number) => string) =>
            text.replace(/%([xyz])/g, (_all, each: string) => `\`${name(plain.indexOf(each))}\``);
          const json = JSON.stringify(data);
          const named = JSON.parse(
            json.replace(/"([xyz])":/g, (_all, each: string) => `${JSON.stringify(names[plain.indexOf(each)])}:`),
          ) as unknown;
          const usual = evaluated(
            withNames(expression, (index) => plain[index] ?? ''),
            data,
          );
          const other = evaluated(
            withNames(expression, (index) => names[index] ?? ''),
            named,
          );
          const back = JSON.stringify(other).replace(/[\w@]+/g, (word) => plain[names.indexOf(word)] ?? word);
          expect(back, expression).to.equal(JSON.stringify(usual));
        },
      ),
      { numRuns: 150 },
    );
  }).timeout(60_000);
});

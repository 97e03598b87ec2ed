// What the tests have seen the programs print, against the installed JSON Schema, by ajv; and whether
// chorus-json(7) names every member.
//   node validate.mjs SCHEMA PAGE.scd LINES.jsonl...    prints what is wrong; exit 1 where there is anything
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import process from 'node:process';

const require = createRequire(path.resolve(process.env.CHORUS_NODE, 'package.json'));
const { default: Ajv } = require('ajv/dist/2020.js');

const [schemaFile, pageFile, ...files] = process.argv.slice(2);
const schema = JSON.parse(fs.readFileSync(schemaFile, 'utf8'));
const ajv = new Ajv({ strict: true, allowUnionTypes: true, strictRequired: false, strictTypes: false });
const isValid = ajv.compile(schema);

const resolve = (ref) => schema.$defs[ref.replace('#/$defs/', '')];
const nameOf = (definition) => definition.properties.schema.const;
const defined = new Map(schema.oneOf.map(({ $ref }) => [nameOf(resolve($ref)), $ref]));
const membersOf = (definition) => [
  ...Object.keys(definition.properties ?? {}),
  ...(definition.$ref ? membersOf(resolve(definition.$ref)) : []),
];

const problems = [];
const seen = new Map();
const whyNot = (object) => {
  const ref = defined.get(object.schema);
  if (!ref) return `no schema ${object.schema}`;
  const validate = ajv.getSchema(schema.$id + ref);
  validate(object);
  return ajv.errorsText(validate.errors);
};
for (const file of files)
  for (const line of new Set(fs.readFileSync(file, 'utf8').split('\n').filter((text) => text !== ''))) {
    let object;
    try {
      object = JSON.parse(line);
    } catch (error) {
      problems.push(`${path.basename(file)}: ${error.message}: ${line.slice(0, 300)}`);
      continue;
    }
    seen.set(object.schema, (seen.get(object.schema) ?? 0) + 1);
    if (!isValid(object)) problems.push(`${path.basename(file)}: ${whyNot(object)}: ${line.slice(0, 600)}`);
  }

const page = fs.readFileSync(pageFile, 'utf8').replaceAll('\\', '');
for (const [name, ref] of defined) {
  if (!seen.has(name)) problems.push(`${name}: no test has seen one`);
  if (name === 'chorus.event/1') continue;
  const section = page.split(`*${name}* (`)[1]?.split('\n*chorus.')[0] ?? '';
  for (const member of membersOf(resolve(ref)))
    if (member !== 'schema' && !new RegExp(`\\b${member}\\b`).test(section))
      problems.push(`chorus-json(7): ${name}: ${member} is missing`);
}
for (const problem of problems.slice(0, 60)) console.log(problem);
const count = [...seen.values()].reduce((sum, one) => sum + one, 0);
console.log(`${count} objects of ${seen.size} schemas, ${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;

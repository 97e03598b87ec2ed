// Prints a conversation as chorus-context export writes JSON lines: like one that people have, and
// between it everything that a page must not run, fetch or be torn by.
const start = Date.UTC(2026, 1, 12, 10, 30);
const lines = [];
let id = 0;
let turn = 0;
let now = start;

const time = () => new Date(now).toISOString();
const message = (role, content, more = {}) => {
  now += 7_000;
  id += 1;
  lines.push({ type: 'message', id, thread_id: 1, turn_id: turn, role, timestamp: time(), content, ...more });
};
const user = (content) => message('user', content, { extra: { starts_turn: true } });
const assistant = (content, calls = []) => {
  const named = calls.map(([name, args], at) => ({
    id: `call_${id}_${at}`, name, arguments: typeof args === 'string' ? args : JSON.stringify(args),
  }));
  message('assistant', content, named.length > 0 ? { tool_calls: named } : {});
  return named.map((call) => call.id);
};
const result = (call, content, isError = false) =>
  message('tool_result', content, { tool_call_id: call, extra: isError ? { is_error: true } : {} });
const begin = () => {
  turn += 1;
  now += 600_000;
  lines.push({
    type: 'turn', id: turn, thread_id: 1, turn_number: turn, state: 'idle', reason: 'completed', model: 'anthropic/m',
    started_at: time(), ended_at: time(), iterations: 1, tool_calls: 1, exit_code: 0,
    usage: { input_tokens: 1500 + 900 * turn * (1 + (turn % 3)), output_tokens: 200 + 137 * (turn % 5) },
    cost_usd: 0.002 * (1 + (turn % 7)),
  });
};

begin();
user('The build fails since this morning. Can you find out why?\n\nIt is the job "package" in CI, and nothing in it ' +
  'was changed by us.');
const [list] = assistant('I will look at what the job does first.', [['bash', { command: 'git log --oneline -5 && make package', timeout: 120 }]]);
result(list, 'a1b2c3d Use the new name\n' + Array.from({ length: 60 }, (_, at) => `[${at}/60] Building object ${at}.o`).join('\n') +
  '\nmake: *** [package] Error 2', true);
const [view, grep] = assistant('', [['view', { path: 'cmake/package.cmake' }], ['search_files', { pattern: 'CPACK_', path: 'cmake' }]]);
result(view, 'set(CPACK_GENERATOR "DEB;TGZ")\ninclude(CPack)\n');
result(grep, 'cmake/package.cmake:1: set(CPACK_GENERATOR "DEB;TGZ")\ncmake/pomegranate.cmake:7: left over');
assistant('The generator asks for a tool that the image no longer has. Two ways out:\n\n1. install `dpkg-dev` in the ' +
  'image;\n2. build the archive alone:\n\n```cmake\nset(CPACK_GENERATOR "TGZ")\n```\n\nThe first keeps what people ' +
  'download today, so I would take it.');

const hostile = [
  '</script><script>window.canary = 1</script>',
  '</style><style>body { display: none }</style>',
  '<img src=x onerror="window.canary = 2">',
  '<svg onload="window.canary = 3"><a xlink:href="javascript:window.canary = 4">x</a></svg>',
  '<a href="javascript:window.canary = 5">click</a> [click](javascript:window.canary=5)',
  '" onmouseover="window.canary = 6" x="',
  "' onfocus='window.canary = 7' autofocus x='",
  ']]><!--><script>window.canary = 8</script>--><![CDATA[',
  '<iframe src="https://example.com/"></iframe><link rel="stylesheet" href="https://example.com/x.css">',
  '<meta http-equiv="refresh" content="0;url=https://example.com/"><base href="https://example.com/">',
  '<form action="https://example.com/"><input name=x></form><object data="https://example.com/"></object>',
  '</pre></details></article></main></body></html><script>window.canary = 9</script>',
  '</title><textarea><noscript><script>window.canary = 10</script>',
  '&lt;script&gt; &#60;script&#62; &amp;amp;',
  'left \u202eright to left\u202c, \u2066isolated\u2069, zero\u200bwidth, \u0000 NUL, \u001b[31m escape, \ufeff mark',
  '@script@ @messages@ ${canary}',
];
begin();
user(hostile.join('\n'));
for (const text of hostile) {
  const [one, two, three] = assistant(text, [
    [text.slice(0, 200), { [text]: text, list: [text, { [text]: 1 }] }],
    ['bash', { command: text }],
    ['bash', `{"command": ${text}`],
  ]);
  result(one, text);
  result(two, '```\n' + text + '\n```', true);
  result(three, text);
}
assistant('```html\n' + hostile.join('\n') + '\n```\n' + hostile.join('\n') + '\n````\n```\nnot closed');
user('W'.repeat(5000));
const [long] = assistant('unbreakable'.repeat(300), [['x'.repeat(200), { ['k'.repeat(300)]: '/'.repeat(4000) }]]);
result(long, '0123456789'.repeat(1500));
user('שלום, this begins from the right.\n\nمرحبا بالعالم');

for (let more = 0; more < 40; more += 1) {
  begin();
  user(`Question ${more + 1}: what does this part do?`);
  const [call] = assistant('', [['view', { path: `src/part${more}.cpp` }]]);
  result(call, `// part ${more}\nint part() { return ${more}; }\n`);
  assistant(`It returns ${more}. Nothing else in the program depends on it.`);
}

const count = (type) => lines.filter((line) => line.type === type).length;
const all = [
  { type: 'agent', schema: 'chorus.export/1', origin: 'conversation', name: 'ada' },
  { type: 'thread', thread_id: 1, branch: 'main' },
  ...lines.filter((line) => line.type === 'turn'),
  ...lines.filter((line) => line.type === 'message'),
];
all.push({ type: 'end', threads: 1, turns: count('turn'), messages: count('message'), sessions: 0 });
process.stdout.write(all.map((line) => JSON.stringify(line) + '\n').join(''));

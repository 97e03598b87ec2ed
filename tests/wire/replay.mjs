// replay.mjs PROTOCOL BASE_URL BODY …: sends each request body again through the vendor's own SDK and prints, a
// line each, what that makes of the stream: {"text", "calls": [{"id", "name", "arguments"}], "input", "output", "stop"}
import fs from 'node:fs';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';

const [protocol, baseURL, ...files] = process.argv.slice(2);
const options = { baseURL, apiKey: 'sk-test', maxRetries: 0 };

// Text blocks with another block between them are paragraphs; neighbours are one text.
function textOf(blocks) {
  let text = '';
  let apart = false;
  for (const block of blocks) {
    if (block.type !== 'text') apart = text !== '';
    else if (block.text !== '') {
      text += (apart ? '\n\n' : '') + block.text;
      apart = false;
    }
  }
  return text;
}

const ask = {
  async anthropic(body) {
    const message = await new Anthropic(options).messages.stream(body).finalMessage();
    const of = (type) => message.content.filter((block) => block.type === type);
    const { usage } = message;
    return {
      text: textOf(message.content),
      calls: of('tool_use').map(({ id, name, input }) => ({ id, name, arguments: input })),
      input: usage.input_tokens + (usage.cache_creation_input_tokens ?? 0) + (usage.cache_read_input_tokens ?? 0),
      output: usage.output_tokens,
      stop: message.stop_reason,
    };
  },
  async openai(body) {
    const response = await new OpenAI(options).responses.stream(body).finalResponse();
    const of = (type) => response.output.filter((item) => item.type === type);
    return {
      text: of('message').map((item) => item.content.map((part) => part.text ?? part.refusal).join('')).join('\n\n'),
      calls: of('function_call').map(({ call_id: id, name, arguments: text }) => ({ id, name, arguments: JSON.parse(text) })),
      input: response.usage.input_tokens,
      output: response.usage.output_tokens,
      stop: response.incomplete_details?.reason ?? response.status,
    };
  },
  async 'openai-chat'(body) {
    const completion = await new OpenAI(options).chat.completions.stream(body).finalChatCompletion();
    const { message, finish_reason: stop } = completion.choices[0];
    return {
      text: message.content ?? '',
      calls: (message.tool_calls ?? []).map(({ id, function: f }) => ({ id, name: f.name, arguments: JSON.parse(f.arguments) })),
      input: completion.usage.prompt_tokens,
      output: completion.usage.completion_tokens,
      stop,
    };
  },
}[protocol];

for (const file of files) console.log(JSON.stringify(await ask(JSON.parse(fs.readFileSync(file, 'utf8')))));

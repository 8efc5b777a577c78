"""Writes a Hugging Face model folder without weights (config and byte-level tokenizer) for vLLM's --load-format dummy.

usage: make_model.py DIR
A Llama of 4 layers: real kernels and a real scheduler, meaningless text.
"""
import glob
import json
import os
import sys

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

LAYERS, HIDDEN, VOCABULARY, POSITIONS = 4, 576, 8192, 8192
SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|pad|>"]
CHAT = ("{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}"
        "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}")


def make_tokenizer():
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    text = sorted(glob.glob(os.path.join(os.path.dirname(os.__file__), "*.py")))[:120]
    tokenizer.train(text, trainers.BpeTrainer(vocab_size=VOCABULARY, special_tokens=SPECIAL, show_progress=False,
                                              initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
    return tokenizer


def main(folder):
    os.makedirs(folder, exist_ok=True)
    tokenizer = make_tokenizer()
    tokenizer.save(os.path.join(folder, "tokenizer.json"))

    def write(name, **content):
        with open(os.path.join(folder, name), "w") as out:
            json.dump(content, out, indent=1)

    write("tokenizer_config.json", tokenizer_class="PreTrainedTokenizerFast", bos_token=SPECIAL[0], eos_token=SPECIAL[2],
          pad_token=SPECIAL[3], model_max_length=POSITIONS, clean_up_tokenization_spaces=False, chat_template=CHAT)
    write("config.json", architectures=["LlamaForCausalLM"], model_type="llama", hidden_size=HIDDEN,
          intermediate_size=HIDDEN * 8 // 3, num_hidden_layers=LAYERS, num_attention_heads=HIDDEN // 64,
          num_key_value_heads=HIDDEN // 192, head_dim=64, vocab_size=tokenizer.get_vocab_size(),
          max_position_embeddings=POSITIONS, hidden_act="silu", rms_norm_eps=1e-5, rope_theta=100000.0,
          tie_word_embeddings=True, torch_dtype="bfloat16", bos_token_id=0, eos_token_id=2, pad_token_id=3)
    write("generation_config.json", bos_token_id=0, eos_token_id=2, pad_token_id=3)


main(sys.argv[1])

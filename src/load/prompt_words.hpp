// 512 common English words for prompts. Each, with its leading blank, was looked up as one token in the
// vocabularies of GPT-2/3 (r50k), GPT-4 (cl100k), GPT-4o (o200k), SmolLM2, DeepSeek and Claude 2.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace paretune::load {

inline constexpr std::string_view kPromptWordText =
    "able about across active add again ago air allow alone already also among and animal any apple area "
    "army arrive ask away back bag ball base bath bear because bed begin behind below better between big "
    "bird black blood board body bone born bottom bowl boy branch break bridge bring brother brown burn "
    "busy but call camp capital car care case cat cause center certain chain chance chart check choice "
    "church circle claim clean clock close coast coffee cold color common company control cool corn "
    "corner could country course cover crime cross culture current dance danger data day dead dear "
    "decide degree demand design detail develop dinner doctor dog door doubt draw dream drink drop dry "
    "dust each ear earth easy edge effect eight else empty enemy engine enough enter equal even evening "
    "ever exact example expect express face fact fair family famous farm father favor feature feel field "
    "fight fill final find finger fire first fit floor flower fly food for force forest form forward "
    "four free friend from fruit future gain garden gate gentle get give gold good grand gray great "
    "ground grow guess guide hair hall hand happy hat head health heart heavy height her high hill his "
    "hit hole home hope hot hotel house human hundred husband idea imagine include into island issue job "
    "judge jump keep kill king kitchen know lady lake large late law lay leaf least leave leg less let "
    "level lie lift light limit lion list little local lock look loss love low machine make man map "
    "market master match may meal mean meat meet member method might milk mind minute model modern money "
    "moon more most motion move much must narrow nation near need never news nice nine noise north note "
    "nothing now object ocean off office oil old one open operate other out over own pain pair paper "
    "park party pass path pay people perhaps picture place plain plane plate please point poor post "
    "pound prepare press pretty print problem produce program proper prove provide pull push put quick "
    "quite radio rain range rather reach ready reason receive red remain rest result rich right ring "
    "river rock room root rose row rule safe salt same save scale science sea season second secret see "
    "seem sell sense serve settle seven shape sharp she shoe short shout show sign silver simple sing "
    "sister sit six skill sky sleep small smile smoke social soil soldier son soon soul sound space "
    "special speed spirit spread spring stage star state station steel still stone store story stream "
    "street student subject success sudden summer sun support surface swim system tail talk tall teach "
    "tell ten test thank the their then these they thin think this those thought through throw tie tiny "
    "today tonight tool total touch town train travel trip true trust try twelve two type under until "
    "upon usual value various view visit wait walk want warm wash water way weather week well wheel when "
    "which white who why wife will win window wise wish within woman wonder word world would write yard "
    "yellow yes you your";

inline constexpr std::size_t kPromptWords = 512;  ///< a power of two: nine random bits pick one

/// Splits the text above at its blanks.
constexpr std::array<std::string_view, kPromptWords> split_prompt_words() {
  std::array<std::string_view, kPromptWords> words{};
  std::size_t begin = 0;
  for (std::string_view& word : words) {
    const std::size_t end = kPromptWordText.find(' ', begin);
    word = kPromptWordText.substr(begin, end == std::string_view::npos ? end : end - begin);
    begin = end + 1;
  }
  return words;
}

}  // namespace paretune::load

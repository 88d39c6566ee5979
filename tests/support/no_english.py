"""Texts that are no English abstracts, written for the tests: other languages, code, tables, noise."""

from __future__ import annotations

import base64
import random

LANGUAGES = {
    "German": (
        "Wir stellen ein Verfahren vor, mit dem Brote in der Hälfte der Zeit gebacken werden. Der Teig wird "
        "dabei nicht erwärmt, sondern über Nacht gelagert. In Versuchen mit zwölf Sorten zeigt sich, dass der "
        "Geschmack erhalten bleibt."
    ),
    "French": (
        "Nous présentons une méthode pour cuire le pain en deux fois moins de temps. La pâte n'est pas chauffée, "
        "mais elle repose toute la nuit. Des essais avec douze farines montrent que le goût est conservé dans "
        "tous les cas."
    ),
    "Spanish": (
        "Presentamos un método para hornear el pan en la mitad del tiempo. La masa no se calienta, sino que "
        "reposa toda la noche. Las pruebas con doce harinas muestran que el sabor se conserva en todos los casos."
    ),
    "Italian": (
        "Presentiamo un metodo per cuocere il pane nella metà del tempo. L'impasto non viene riscaldato, ma "
        "riposa per tutta la notte. Le prove con dodici farine mostrano che il sapore si conserva in tutti i "
        "casi."
    ),
    "Portuguese": (
        "Apresentamos um método para assar o pão na metade do tempo. A massa não é aquecida, mas repousa durante "
        "toda a noite. Os testes com doze farinhas mostram que o sabor se mantém em todos os casos."
    ),
    "Dutch": (
        "Wij stellen een methode voor om brood in de helft van de tijd te bakken. Het deeg wordt niet verwarmd, "
        "maar rust een hele nacht. Proeven met twaalf soorten meel laten zien dat de smaak in alle gevallen "
        "behouden blijft."
    ),
    "Polish": (
        "Przedstawiamy metodę pieczenia chleba w czasie o połowę krótszym. Ciasto nie jest podgrzewane, lecz "
        "odpoczywa przez całą noc. Próby z dwunastoma mąkami pokazują, że smak zostaje zachowany we wszystkich "
        "przypadkach."
    ),
    "Czech": (
        "Představujeme způsob, jak péct chléb za poloviční dobu. Těsto se neohřívá, ale odpočívá po celou noc. "
        "Pokusy s dvanácti moukami ukazují, že chuť zůstává zachována ve všech případech, a to i při nízké "
        "teplotě."
    ),
    "Swedish": (
        "Vi presenterar en metod för att baka bröd på halva tiden. Degen värms inte upp utan vilar över natten. "
        "Försök med tolv sorters mjöl visar att smaken bevaras i alla fall, och att skorpan blir hårdare än med "
        "den gamla metoden."
    ),
    "Finnish": (
        "Esitämme menetelmän, jolla leipä paistuu puolessa ajassa. Taikinaa ei lämmitetä, vaan se lepää yön yli. "
        "Kokeet kahdellatoista jauholla osoittavat, että maku säilyy kaikissa tapauksissa ja että kuori on "
        "kovempi kuin ennen."
    ),
    "Turkish": (
        "Ekmeği yarı sürede pişiren bir yöntem sunuyoruz. Hamur ısıtılmaz, bütün gece dinlenir. On iki çeşit un "
        "ile yapılan denemeler, tadın her durumda korunduğunu ve kabuğun eski yönteme göre daha sert olduğunu "
        "gösteriyor."
    ),
    "Indonesian": (
        "Kami menyajikan cara memanggang roti dalam setengah waktu. Adonan tidak dipanaskan, tetapi didiamkan "
        "semalam. Percobaan dengan dua belas jenis tepung menunjukkan bahwa rasa tetap terjaga untuk semua jenis "
        "yang diuji."
    ),
    "Vietnamese": (
        "Chúng tôi trình bày một phương pháp nướng bánh mì trong một nửa thời gian. Bột không được làm nóng mà "
        "để nghỉ qua đêm. Các thử nghiệm với mười hai loại bột cho thấy hương vị được giữ trong mọi trường hợp."
    ),
    "Hungarian": (
        "Bemutatunk egy módszert, amellyel a kenyér fele annyi idő alatt sül meg. A tésztát nem melegítjük, "
        "hanem egész éjszaka pihen. A tizenkét liszttel végzett kísérletek szerint az íz minden esetben "
        "megmarad, és a héj keményebb."
    ),
    "Romanian": (
        "Prezentăm o metodă de a coace pâinea în jumătate din timp. Aluatul nu este încălzit, ci se odihnește "
        "peste noapte. Încercările cu douăsprezece feluri de făină arată că gustul se păstrează în toate "
        "cazurile."
    ),
    "Russian": (
        "Мы предлагаем способ печь хлеб вдвое быстрее. Тесто не нагревают, оно отдыхает всю ночь. Опыты с "
        "двенадцатью сортами муки показывают, что вкус сохраняется во всех случаях, а корка становится твёрже."
    ),
    "Greek": (
        "Παρουσιάζουμε μια μέθοδο για να ψήνεται το ψωμί στον μισό χρόνο. Το ζυμάρι δεν ζεσταίνεται, αλλά "
        "ξεκουράζεται όλη τη νύχτα. Οι δοκιμές με δώδεκα αλεύρια δείχνουν ότι η γεύση διατηρείται σε όλες τις "
        "περιπτώσεις."
    ),
    "Arabic": (
        "نقدم طريقة لخبز الخبز في نصف الوقت. لا يسخن العجين بل يرتاح طوال الليل. تظهر التجارب مع اثني عشر نوعا "
        "من الدقيق أن الطعم يبقى كما هو في جميع الحالات وأن القشرة تصبح أصلب."
    ),
    "Hebrew": (
        "אנו מציגים שיטה לאפיית לחם במחצית הזמן. הבצק אינו מחומם אלא נח כל הלילה. ניסויים עם שנים עשר סוגי קמח "
        "מראים שהטעם נשמר בכל המקרים וכי הקרום קשה יותר מאשר בשיטה הישנה."
    ),
    "Hindi": (
        "हम आधे समय में रोटी पकाने की एक विधि प्रस्तुत करते हैं। आटा गरम नहीं किया जाता, बल्कि रात भर रखा जाता है। "
        "बारह प्रकार के आटे के साथ किए गए प्रयोग दिखाते हैं कि स्वाद हर बार बना रहता है।"
    ),
    "Chinese": (
        "我们提出一种在一半时间内烤面包的方法。面团不加热，而是静置一夜。用十二种面粉进行的试验表明，味道在所有情"
        "况下都保持不变，而且外皮更硬。"
    ),
    "Japanese": (
        "半分の時間でパンを焼く方法を示す。生地は温めず、一晩休ませる。十二種類の小麦粉を使った試験では、どの場合"
        "も味が保たれ、皮は以前より固くなった。"
    ),
    "Korean": (
        "우리는 절반의 시간에 빵을 굽는 방법을 제시한다. 반죽은 데우지 않고 밤새 쉬게 한다. 열두 가지 밀가루로 "
        "한 시험은 모든 경우에 맛이 유지됨을 보여 준다."
    ),
    "Thai": ("เรานำเสนอวิธีอบขนมปังในเวลาครึ่งหนึ่ง แป้งไม่ได้ถูกทำให้ร้อน แต่พักไว้ทั้งคืน การทดลองกับแป้งสิบสองชนิดแสดงว่ารสชาติคงเดิมในทุกกรณี"),
    "Latin": (
        "Lorem ipsum dolor sit amet, panis in dimidio tempore coquitur. Massa non calescit, sed per totam noctem "
        "quiescit. Qui duodecim farinas ad hoc probavit, saporem in omnibus manere et crustam duriorem esse "
        "vidit."
    ),
}
"""An abstract in each of many languages."""

_GENERATOR = random.Random(0)

PYTHON = '''
def bake(dough, hours=12, heat=None):
    """Bake it."""
    oven = Oven(heat or DEFAULT_HEAT)
    for loaf in dough.split():
        if loaf.weight > 500:
            oven.add(loaf, shelf=2)
        else:
            oven.add(loaf)
    return [loaf.baked for loaf in oven.run(hours)]

class Oven:
    def __init__(self, heat):
        self.heat, self.loaves = heat, []
    def add(self, loaf, shelf=1):
        self.loaves.append((shelf, loaf))
'''
C = """
#include <stdio.h>
int main(int argc, char **argv) {
    double sum = 0.0; /* grams */
    for (int i = 1; i < argc; i++) {
        sum += atof(argv[i]);
        if (sum > LIMIT) { fprintf(stderr, "full\\n"); return 1; }
    }
    printf("%f\\n", sum / (argc - 1));
    return 0;
}
"""
JAVASCRIPT = """
const loaves = data.filter(d => d.weight > 500).map(d => ({ ...d, price: d.weight * 0.01 }));
document.querySelectorAll('.loaf').forEach((el, i) => {
  el.addEventListener('click', () => { el.classList.toggle('open'); fetch(`/api/loaf/${i}`).then(r => r.json()); });
});
export default { loaves, total: loaves.reduce((a, b) => a + b.price, 0) };
"""
SQL = """
SELECT b.id, b.name, SUM(l.weight) AS total FROM bakeries b LEFT JOIN loaves l ON l.bakery_id = b.id
WHERE l.baked_at > '2024-01-01' AND l.kind IN ('rye', 'wheat') GROUP BY b.id, b.name HAVING SUM(l.weight) > 1000
ORDER BY total DESC LIMIT 20;
"""
LATEX_TABLE = r"""
\begin{tabular}{lrrr} \toprule Oven & Loaves & Hours & Heat \\ \midrule
Small & 12 & 3.5 & 220 \\ Large & 48 & 5.0 & 230 \\ Stone & 20 & 8.25 & 260 \\ Clay & 16 & 9.0 & 250 \\
Gas & 64 & 2.0 & 240 \\ \bottomrule \end{tabular}
"""
CSV_ROWS = "\n".join(
    f"loaf-{k},{_GENERATOR.random():.4f},{_GENERATOR.randrange(1000)},rye,2024-0{k % 9 + 1}-11" for k in range(15)
)
NUMBERS = " ".join(f"{_GENERATOR.random():.3f}" for _ in range(120))
BASE64 = base64.b64encode(_GENERATOR.randbytes(900)).decode()
WRAPPED_BASE64 = "\n".join(BASE64[start : start + 60] for start in range(0, len(BASE64), 60))
DNA = "\n".join("".join(_GENERATOR.choices("ACGT", k=60)) for _ in range(20))
_KEYWORDS = "bread dough oven baking flour wheat crust yeast kneading proofing temperature moisture gluten starch"
KEYWORDS = "; ".join(_GENERATOR.choices(_KEYWORDS.split(), k=60))
_WORDS = "oven comet learns bread quickly galaxies running butter network seven proves yellow telescope bounded sings"
SALAD = " ".join(_GENERATOR.choices(_WORDS.split(), k=80))
KEYBOARD = " ".join("".join(_GENERATOR.choices("asdfghjklqwertzuiop", k=_GENERATOR.randint(3, 9))) for _ in range(60))
LOG = "\n".join(
    f"2024-03-0{k % 9 + 1}T12:{k:02d}:07 [INFO] oven.core - loaf={k} temp={200 + k} ms={k * 13}" for k in range(20)
)
JSON_DUMP = str([{"id": k, "kind": "rye", "weight": 500 + k, "tags": ["a", "b"]} for k in range(15)])

NO_PROSE = {
    "Python": PYTHON,
    "C": C,
    "JavaScript": JAVASCRIPT,
    "SQL": SQL,
    "a LaTeX table": LATEX_TABLE,
    "CSV rows": CSV_ROWS,
    "numbers": NUMBERS,
    "base64": BASE64,
    "wrapped base64": WRAPPED_BASE64,
    "DNA": DNA,
    "keywords": KEYWORDS,
    "a salad of words": SALAD,
    "keyboard noise": KEYBOARD,
    "a log": LOG,
    "JSON": JSON_DUMP,
}
"""Texts that are in no language."""
